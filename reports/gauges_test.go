package reports_test

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/gauges"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/programmes"
)

// The figures for monitoring are those of the pages, and what is not known is left out.
func TestGauges(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "Asia/Kathmandu")
	d.fillVaried()
	d.want("unread", today-3) // an account that was never read
	r, err := reports.Gauges(t.Context(), d.Service)
	if err != nil {
		t.Fatal(err)
	}
	desk, shown := d.Service, 0
	for period, of := range map[gauges.Period]string{gauges.PeriodToday: "today", gauges.PeriodYesterday: "yesterday", gauges.PeriodMonth: "mtd"} {
		for _, account := range []affiliate.Account{"main", "other"} {
			page, err := reports.Ask(t.Context(), desk, d.queryOf("range="+of+"&account="+string(account), programmes.Accepted), programmes.Make)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range r.Commission {
				if g.Period == period && g.Account == account {
					shown++
					if want := page.Total.In(g.Coin).Commission; !g.Sum.Equal(want) {
						t.Errorf("%s of %s in %s is %s, on the page %s", g.Coin, account, period, g.Sum, want)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("there is no commission")
	}
	for _, g := range r.Commission {
		if g.Account == "unread" {
			t.Errorf("%+v of an account that was never read", g)
		}
	}
	collected, err := d.Collection(t.Context())
	if err != nil || len(r.Streams) != len(collected.Streams) {
		t.Errorf("%d streams, %d on the page (%v)", len(r.Streams), len(collected.Streams), err)
	}
	for _, s := range r.Streams {
		if s.Account == "unread" && (s.Collected != 0 || s.Expected == 0 || s.Through.Known()) {
			t.Errorf("%+v was never read", s)
		}
	}
	findings, err := d.Attention(t.Context(), d.ask(""))
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, n := range r.Findings {
		counted += n
	}
	if counted != len(findings.Findings) || len(r.Findings) != len(attention.FindingKinds()) {
		t.Errorf("%v, and the page has %d findings", r.Findings, len(findings.Findings))
	}
	owed := 0
	for _, account := range []affiliate.Account{"main", "other", "unread"} {
		page, err := reports.Ask(t.Context(), d.Service, d.ask("account="+string(account)), payments.MakeOverview)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Outstanding {
			if g.Account != account {
				continue
			}
			owed++
			i := slices.IndexFunc(page.AllTime, func(b payments.CoinBalance) bool { return b.Coin == g.Coin })
			if i < 0 || !page.Ruled() || !page.AllTime[i].Outstanding.Decimal().Equal(g.Sum) {
				t.Errorf("%s of %s is %s, which is not what the page says", g.Coin, account, g.Sum)
			}
		}
	}
	if owed == 0 || owed != len(r.Outstanding) {
		t.Errorf("%d outstanding sums of known accounts, of %d", owed, len(r.Outstanding))
	}
}
