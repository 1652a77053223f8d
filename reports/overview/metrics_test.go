package overview_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
)

// The chart shows the figure that was asked for: shares are commission by fees of each day, also of
// the compared days, and people are those of the chart of users.
func TestChartShowsTheFigure(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.FillVaried()
	ask := func(metric string) overview.Report {
		view, err := reports.Ask(t.Context(), d.Service, d.QueryOf("range=7d&coin=USDT&metric="+metric, overview.Accepted), overview.Make)
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	commission, fees, share := ask(figures.ShowCommission).Daily, ask(figures.ShowFees).Daily, ask(figures.ShowShareOfFees).Curve
	if len(share.Parts) != 2 || !share.Parts[1].Compared || len(share.Steps) != 7 {
		t.Fatalf("the line of shares is %+v", share)
	}
	check := func(of figures.Curve, i int, commission, fee decimal.Decimal) {
		if known := !fee.IsZero(); of.Known[i] != known || known && !of.Values[i].Equal(commission.Shift(2).DivRound(fee, 2)) {
			t.Errorf("%s, step %d: %s (known: %v) for %s of %s", of.Name, i, of.Values[i], of.Known[i], commission, fee)
		}
	}
	for i := range share.Steps {
		check(share.Parts[0], i, commission.Total[i], fees.Total[i])
		check(share.Parts[1], i, commission.Reference[i], fees.Reference[i])
	}
	for i, metric := range []string{figures.ShowActive, figures.ShowRegistered, figures.ShowDeposits, figures.ShowTrades} {
		view := ask(metric)
		parts := view.Curve.Parts
		if len(parts) == 0 || parts[0].Name != view.Users.Parts[i].Name || parts[0].Bars {
			t.Errorf("%s is drawn as %+v", metric, parts)
			continue
		}
		// The compared line is the line of the compared range.
		days, _ := view.Query.Compare.Days(view.Query.Days)
		before := d.Overview(fmt.Sprintf("from=%s&to=%s&coin=USDT&compare=none", days.First, days.Last)).Users.Parts[i]
		switch {
		case !slices.Contains(before.Known, true):
			if len(parts) != 1 {
				t.Errorf("%s is compared with what is not known: %+v", metric, parts)
			}
		case len(parts) != 2 || !parts[1].Compared || !slices.Equal(parts[1].Known, before.Known) ||
			!slices.EqualFunc(parts[1].Values, before.Values, decimal.Decimal.Equal) || view.Curve.RefSteps[0].First != days.First:
			t.Errorf("%s is compared with %+v, want %+v", metric, parts, before)
		}
	}
	if curve := ask(figures.ShowVolume).Curve; len(curve.Parts) > 0 {
		t.Errorf("volume is a line: %+v", curve)
	}
}
