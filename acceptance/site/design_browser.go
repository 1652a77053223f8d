package site

import (
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Picture returns what an element looks like, as a PNG of the given scale.
func (b *Tab) Picture(selector string, scale float64) []byte {
	b.T.Helper()
	box := Eval[[]float64](b, `(r => [r.left + scrollX, r.top + scrollY, r.width, r.height])(document.querySelector("`+selector+`").getBoundingClientRect())`)
	taken, err := chromedp.Call(b.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: new(true),
		Clip: &page.Viewport{X: box[0], Y: box[1], Width: box[2], Height: box[3], Scale: scale},
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return taken.Data
}
