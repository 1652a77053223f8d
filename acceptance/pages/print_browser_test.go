package pages_test

import (
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
)

// mostSheets is how many sheets of A4 a page takes when it is printed.
const mostSheets = 3

var sheet = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

// The pages that are printed for a meeting take few sheets.
func TestBrowserPrint(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	b := site.Open(t, address+"/account", site.Desktop)
	for _, path := range []string{"/", "/payments", "/months"} {
		b.Goes(address + path)
		b.Until(site.AllSeen + `, true`)
		paper, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(func(p *page.PrintToPDFParams) { p.PaperWidth, p.PaperHeight = 8.27, 11.69 }))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(sheet.FindAll(paper, -1)); n == 0 || n > mostSheets {
			t.Errorf("%s: %d sheets, want 1 to %d", path, n, mostSheets)
		}
	}
}
