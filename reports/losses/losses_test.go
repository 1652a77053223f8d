package losses_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// What is at risk is what silent and slowing invitees brought, exactly. With a short history
// there is no range, and the reason; the finding about silent invitees says the same.
func TestRevenueAtRiskIsExact(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-120)
	var rows []affiliate.Commission
	trades := func(uid affiliate.UID, first, last affiliate.Day, step int, commission affiliate.Number) {
		for day := first; day <= last; day += affiliate.Day(step) {
			c := d.Earned(day, "USDT", commission)
			c.UID = uid
			rows = append(rows, c)
		}
	}
	trades("1", reporttest.Today-100, reporttest.Today-41, 1, "10") // silent: 600 in 60 days
	trades("2", reporttest.Today-90, reporttest.Today-31, 1, "0.25")
	trades("3", reporttest.Today-100, reporttest.Today-11, 5, "10") // slows down: 18 trades in 86 days
	trades("4", reporttest.Today-100, reporttest.Today, 1, "7")     // active
	d.Read("main", reporttest.Spot, reporttest.Days(-120, 0), rows...)
	d.Read("main", reporttest.Futures, reporttest.Days(-120, 0))
	view, err := reports.Ask(t.Context(), d.Service, d.Ask("range=today"), losses.Make)
	storetest.Done(t, err)
	if len(view.Coins) != 1 || view.Together != nil {
		t.Fatalf("at risk: %+v", view)
	}
	c := view.Coins[0]
	if len(c.Silent) != 1 || c.Silent[0].UID != "1" || c.Silent[0].Usual.String() != "300" || c.Silent[0].Days != 41 ||
		len(c.Slowing) != 1 || c.Slowing[0].UID != "3" || c.Slowing[0].Usual.String() != "62.7906976744" || c.Usual.String() != "362.7906976744" {
		t.Errorf("silent %+v, slowing %+v, together %s", c.Silent, c.Slowing, c.Usual)
	}
	if c.Few == nil || c.Known() {
		t.Errorf("a loss is estimated from four months: %+v", c.LikelyLoss)
	}
	report, err := d.Attention(t.Context(), d.Ask("range=today"))
	storetest.Done(t, err)
	for _, f := range report.Findings {
		if f, ok := f.(findings.Silent); ok && (f.Coins[0].AtRisk.String() != "300" || f.Likely.Few == nil) {
			t.Errorf("the finding is %+v", f)
		}
	}
	q := d.Ask("range=today")
	q.AsOf = (reporttest.Today - 20).Start(d.Zone)
	if then, err := reports.Ask(t.Context(), d.Service, q, losses.Make); err != nil || len(then.Coins) != 0 {
		t.Errorf("before anything was known: %+v, %v", then, err)
	}
}
