package site

import (
	"github.com/chromedp/chromedp"
)

// Keys presses keys, and waits until nothing is under way.
func (b *Tab) Keys(text string) {
	b.T.Helper()
	b.Do(chromedp.KeyEvent(text))
	b.Until(`document.querySelector(".htmx-request") === null`)
}
