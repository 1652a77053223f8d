package invitees

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// A share of fees that never changed is said in a sentence; a changed one needs its chart.
func TestSteadyRates(t *testing.T) {
	t.Parallel()
	month := func(m int) affiliate.Days {
		return affiliate.Days{First: affiliate.NewDay(2026, 0, 1) + affiliate.Day(31*m), Last: affiliate.NewDay(2026, 0, 1) + affiliate.Day(31*m+27)}
	}
	curve := func(name string, known []bool, values ...string) figures.Curve {
		c := figures.Curve{Name: name, Known: known}
		for _, v := range values {
			c.Values = append(c.Values, decimal.RequireFromString(v))
		}
		return c
	}
	steps := []affiliate.Days{month(7), month(8), month(9)}
	for want, parts := range map[string][]figures.Curve{
		"41.3\u00a0% in USDT, unchanged since " + steps[1].First.Format("January 2006") + ".": {curve("USDT", []bool{false, true, true}, "0", "41.26", "41.3")},
		"": {curve("USDT", nil, "41.3", "41.3", "41.3"), curve("BTC", nil, "41.3", "41.3", "33")},
	} {
		if got := steadyRates(figures.Lines{Steps: steps, Parts: parts}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := steadyRates(figures.Lines{Steps: steps, Parts: []figures.Curve{curve("USDT", []bool{false, false, true}, "0", "0", "41")}}); got != "" {
		t.Errorf("one month says %q", got)
	}
}
