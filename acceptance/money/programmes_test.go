package money_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// With one account, the page of the programmes shows it and says how a second one joins it.
func TestOneProgramme(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	viewer := p.As("vera", access.Viewer)
	page := viewer.Get("/programmes?range=30d").Body
	for _, want := range []string{"You see one programme, so there is nothing to compare.", "earned", "Share of fees, USDT", "Outstanding payments, of all time", `id="programmes-chart"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if a := viewer.Get("/programmes?sort=coin"); a.StatusCode != 400 {
		t.Errorf("a parameter that the page does not take: status %d", a.StatusCode)
	}
	if file := viewer.Get("/programmes.json?range=30d"); file.StatusCode != 200 || !strings.Contains(file.Body, `"share_of_fees_percent"`) {
		t.Errorf("the JSON: status %d", file.StatusCode)
	}
}
