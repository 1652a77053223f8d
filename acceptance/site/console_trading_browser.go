package site

import (
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// Press moves the pointer onto the element that the selector matches, and clicks it.
func (b *Tab) Press(selector string) {
	b.T.Helper()
	b.Arrives(`document.querySelector(` + fmt.Sprintf("%q", selector) + `) !== null`)
	b.Do(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	at := Eval[[]float64](b, `(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector(`+fmt.Sprintf("%q", selector)+`).getBoundingClientRect())`)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]), chromedp.Click(chromedp.CSS(selector)))
}

// Writes fills in a ticket that buys at a percentage of the last price.
func (b *Tab) Writes(f *TradingSite, percent int) {
	b.T.Helper()
	b.Goes(f.Address + "/console/trade")
	b.Fill("price", f.Price(percent))
	b.Fill("quantity", "0.0100009")
}
