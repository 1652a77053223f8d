package site

import (
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TabTo moves the focus by the Tab key alone.
func (b *Tab) TabTo(selector string) {
	b.T.Helper()
	for range 90 {
		if Eval[bool](b, `document.activeElement?.matches(`+"`"+selector+"`"+`) ?? false`) {
			return
		}
		b.Do(chromedp.KeyEvent(kb.Tab))
	}
	b.T.Fatalf("the Tab key does not reach %s", selector)
}

// Enters types into a field that the Tab key reached.
func (b *Tab) Enters(name, text string) {
	b.T.Helper()
	b.TabTo(`main [name="` + name + `"]`)
	b.Do(chromedp.KeyEvent(text))
}

// Presses presses a button or follows a link that the Tab key reached, and waits for a page.
func (b *Tab) Presses(selector, arrived string) {
	b.T.Helper()
	b.TabTo(selector)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(arrived)
}
