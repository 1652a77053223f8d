package findings_test

import (
	"testing"
	"time"

	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

// Pages of any range have the findings that were made since the last write, and those of an earlier
// minute until they are made again.
func TestFindingsAreKept(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-10)
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "5"))
	kept := func(page string) (reports.KeptAttention, query.Query) {
		t.Helper()
		k, asked, err := reports.ReadKeptAttention(t.Context(), d.Service, d.QueryOf(page, overview.Accepted))
		if err != nil {
			t.Fatal(err)
		}
		return k, asked
	}
	k, asked := kept("range=7d")
	if k.Report != nil {
		t.Fatal("there are findings before anybody asked for them")
	}
	made, err := d.Attention(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if k, _ := kept(""); k.Report != nil {
		t.Fatal("there are findings without the people of the day")
	}
	makeDay := func() {
		t.Helper()
		if _, err := d.PeopleOfDay(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
	}
	makeDay()
	for _, page := range []string{"range=7d", "", "range=today&coin=USDT&compare=none"} {
		if k, _ := kept(page); k.Report == nil || !k.Present || len(k.Report.Findings) != len(made.Findings) {
			t.Errorf("%q: %+v, want %d findings", page, k, len(made.Findings))
		}
	}
	if k, _ := kept("account=main"); k.Report != nil {
		t.Error("an account has the findings of all")
	}
	d.Now = d.Now.Add(2 * time.Minute)
	if k, _ := kept(""); k.Report == nil || k.Present {
		t.Errorf("two minutes later: %+v", k)
	}
	if _, err := d.Attention(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	makeDay()
	if k, _ := kept(""); k.Report == nil || !k.Present {
		t.Errorf("made again: %+v", k)
	}
	d.Now = d.Now.Add(time.Minute)
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "6"))
	if k, _ := kept(""); k.Report != nil {
		t.Error("findings of an earlier state are shown")
	}
}
