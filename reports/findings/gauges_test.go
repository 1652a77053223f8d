package findings_test

import (
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/programmes"
	"rebatedesk/reports/reporttest"
)

// The figures for monitoring are those of the pages, and what is not known is left out.
func TestGauges(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.FillVaried()
	d.Want("unread", reporttest.Today-3) // an account that was never read
	r, err := reports.Gauges(t.Context(), d.Service)
	if err != nil {
		t.Fatal(err)
	}
	desk, shown := d.Service, 0
	samples := map[string][]findings.Sample{}
	for _, s := range r.Samples {
		samples[s.Gauge] = append(samples[s.Gauge], s)
	}
	for period, of := range map[string]string{"today": "today", "yesterday": "yesterday", "month": "mtd"} {
		for _, account := range []affiliate.Account{"main", "other"} {
			page, err := reports.Ask(t.Context(), desk, d.QueryOf("range="+of+"&account="+string(account), programmes.Accepted), programmes.Make)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range samples["commission"] {
				if g.Labels[2] == period && g.Labels[0] == string(account) {
					shown++
					if want := page.Total.In(affiliate.Coin(g.Labels[1])).Commission; !g.Value.Equal(want) {
						t.Errorf("%s is %s, on the page %s", g.Labels, g.Value, want)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("there is no commission")
	}
	for _, g := range samples["commission"] {
		if g.Labels[0] == "unread" {
			t.Errorf("%+v of an account that was never read", g)
		}
	}
	collected, err := d.Collection(t.Context())
	if err != nil || len(samples["coverage_collected_days"]) != len(collected.Streams) {
		t.Errorf("%d streams, %d on the page (%v)", len(samples["coverage_collected_days"]), len(collected.Streams), err)
	}
	for i, s := range samples["coverage_collected_days"] {
		if expected := samples["coverage_expected_days"][i]; s.Labels[0] == "unread" && (!s.Value.IsZero() || expected.Value.IsZero()) {
			t.Errorf("%+v was never read", s)
		}
	}
	for _, s := range samples["coverage_age_seconds"] {
		if s.Labels[0] == "unread" || !s.Since.Known() {
			t.Errorf("%+v has an age", s)
		}
	}
	attention, err := d.Attention(t.Context(), d.Ask(""))
	if err != nil {
		t.Fatal(err)
	}
	counted := decimal.Zero
	for _, s := range samples["findings"] {
		counted = counted.Add(s.Value)
	}
	if !counted.Equal(decimal.NewFromInt(int64(len(attention.Findings)))) || len(samples["findings"]) != len(findings.Names()) {
		t.Errorf("%v, and the page has %d findings", samples["findings"], len(attention.Findings))
	}
	owed := 0
	for _, account := range []affiliate.Account{"main", "other", "unread"} {
		page, err := reports.Ask(t.Context(), d.Service, d.Ask("account="+string(account)), payments.MakeOverview)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range samples["outstanding_payments"] {
			if g.Labels[0] != string(account) {
				continue
			}
			owed++
			i := slices.IndexFunc(page.AllTime, func(b payments.CoinBalance) bool { return string(b.Coin) == g.Labels[1] })
			if i < 0 || !page.Ruled() || !page.AllTime[i].Outstanding.Decimal().Equal(g.Value) {
				t.Errorf("%s of %s is %s, which is not what the page says", g.Labels[1], account, g.Value)
			}
		}
	}
	if owed == 0 || owed != len(samples["outstanding_payments"]) {
		t.Errorf("%d outstanding sums of known accounts, of %d", owed, len(samples["outstanding_payments"]))
	}
}
