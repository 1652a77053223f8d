package site

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// Press clicks the element that the selector matches.
func (b *Tab) Press(selector string) {
	b.T.Helper()
	b.Arrives(`document.querySelector(` + fmt.Sprintf("%q", selector) + `) !== null`)
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Writes fills in a ticket that buys at a percentage of the last price.
func (b *Tab) Writes(f *TradingSite, percent int) {
	b.T.Helper()
	b.Goes(f.Address + "/console/trade")
	b.Fill("price", f.Price(percent))
	b.Fill("quantity", "0.0100009")
}
