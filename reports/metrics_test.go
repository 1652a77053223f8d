package reports_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
)

// The chart shows the figure that was asked for: shares are commission by fees of each day, also of
// the compared days, and people are those of the chart of users.
func TestChartShowsTheFigure(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "Asia/Kathmandu")
	d.fillVaried()
	ask := func(metric string) overview.Report {
		view, err := d.Overview(t.Context(), d.queryOf("range=7d&coin=USDT&metric="+metric, overview.AcceptedOfOverview))
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
		if len(view.Curve.Parts) != 1 || view.Curve.Parts[0].Name != view.Users.Parts[i].Name || view.Curve.Parts[0].Bars {
			t.Errorf("%s is drawn as %+v", metric, view.Curve.Parts)
		}
	}
	if curve := ask(figures.ShowVolume).Curve; len(curve.Parts) > 0 {
		t.Errorf("volume is a line: %+v", curve)
	}
}
