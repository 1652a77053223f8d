package acceptance_test

import (
	"strings"
	"testing"

	"rebatedesk/access"
)

// With one account, the page of the programmes shows it and says how a second one joins it.
func TestOneProgramme(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	viewer := p.as("vera", access.Viewer)
	page := viewer.get("/programmes?range=30d").body
	for _, want := range []string{"You see one programme, so there is nothing to compare.", "earned", "Share of fees, USDT", "Outstanding payments, of all time", `id="programmes-chart"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if a := viewer.get("/programmes?sort=coin"); a.StatusCode != 400 {
		t.Errorf("a parameter that the page does not take: status %d", a.StatusCode)
	}
	if file := viewer.get("/programmes.json?range=30d"); file.StatusCode != 200 || !strings.Contains(file.body, `"share_of_fees_percent"`) {
		t.Errorf("the JSON: status %d", file.StatusCode)
	}
}
