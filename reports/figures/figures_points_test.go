package figures_test

import (
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/reporttest"
)

// The share of fees on a card is compared in percentage points, if both periods have fees and
// the compared one is known.
func TestShareOfFeesInPoints(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-9)
	paid := func(day affiliate.Day, fee, commission affiliate.Number) affiliate.Commission {
		c := reporttest.Trade(day, reporttest.Spot, 1, commission)
		c.Fee = fee
		return c
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-9, 0), paid(reporttest.Today-1, "4", "1"), paid(reporttest.Today-2, "3", "1"), paid(reporttest.Today-3, "0", "1"), paid(reporttest.Today-4, "3", "1"), paid(reporttest.Today-5, "3", "1"))
	d.Read("main", reporttest.Futures, reporttest.Days(-9, 0))
	for asked, want := range map[string]string{
		"from=2026-09-14&to=2026-09-14&compare=previous": "▼ 8.33 pp",
		"from=2026-09-13&to=2026-09-13&compare=previous": "", // there were no fees
		"from=2026-09-12&to=2026-09-12&compare=previous": "", // there are none
		"from=2026-09-11&to=2026-09-11&compare=previous": "no change",
		"from=2026-09-14&to=2026-09-14&compare=weekday":  "", // there was nothing
		"from=2026-09-14&to=2026-09-14":                  "",
		"from=2026-09-10&to=2026-09-14&compare=month":    "—",
		"from=2026-09-11&to=2026-09-14&compare=previous": "▲ 6.67 pp",
	} {
		card := d.Overview(asked).Cards[0]
		if got := strings.ReplaceAll(phrase.Points(card.RateChange).String(), phrase.Space, " "); got != want {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
		if known := card.RateChange.Kind == figures.ChangeUp || card.RateChange.Kind == figures.ChangeDown; known != card.RateChange.Reference.Known && want != "no change" {
			t.Errorf("%s: the reference is %+v", asked, card.RateChange.Reference)
		}
	}
}
