package overview_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// The first line has the amounts of the report. It names a cause only where the drivers have one
// that makes half of a change that is large enough, and compares only what is collected.
func TestFirstLineOfTheFrontPage(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	d.Want("main", reporttest.Days(-80, 0).First)
	d.ReadEmpty(reporttest.Days(-80, 0))
	d.Read("main", futures, reporttest.Days(-40, -1),
		reporttest.Trade(reporttest.Days(-12, -12).First, futures, 1, "100"), reporttest.Trade(reporttest.Days(-12, -12).First, futures, 2, "100"),
		reporttest.Trade(reporttest.Days(-3, -3).First, futures, 1, "40"), reporttest.Trade(reporttest.Days(-3, -3).First, futures, 2, "100"))
	span := func(first, last int) string {
		return fmt.Sprintf("from=%s&to=%s", reporttest.Days(first, first).First, reporttest.Days(last, last).First)
	}
	for _, c := range []struct{ query, want string }{
		{span(-7, -1), "Earned 140.00 USDT from " + reporttest.Days(-7, -7).First.Format("2 Jan 2006") + " to " + reporttest.Days(-1, -1).First.Format("2 Jan 2006") + ", 30.0\u00a0% less than before, mostly since 4667776801 brought 60.00 USDT less."},
		{span(-7, -1) + "&compare=none", "Earned 140.00 USDT from " + reporttest.Days(-7, -7).First.Format("2 Jan 2006") + " to " + reporttest.Days(-1, -1).First.Format("2 Jan 2006") + "."},
		{span(-3, -3), "Earned 140.00 USDT on " + reporttest.Days(-3, -3).First.Format("2 Jan 2006") + ", and nothing before."},
		{span(-30, -20), ""},
		{span(-90, -1), "as far as it is collected ("},
	} {
		said, front := d.EarnedWords(c.query)
		if said != c.want && !(strings.HasSuffix(c.want, "(") && strings.Contains(said, c.want)) {
			t.Errorf("%s: %q, want %q", c.query, said, c.want)
		}
		if said == "" {
			continue
		}
		if !strings.Contains(said, front.Cards[0].Commission.Amount.String()) {
			t.Errorf("%s: %q lacks what was earned", c.query, said)
		}
		if !front.Coverage.Complete() && (strings.Contains(said, "before") || strings.Contains(said, "mostly")) {
			t.Errorf("%s: %q compares what is not collected", c.query, said)
		}
		if strings.Contains(said, "mostly") && (front.Drivers == nil || front.Drivers.Change().IsZero()) {
			t.Errorf("%s: %q has a cause that the drivers do not know", c.query, said)
		}
	}
}

// Whatever is written meanwhile, all parts of the front page are of one state: what drivers explain
// is the change of the card, to the last digit.
func TestFrontPageIsOfOneState(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "isolation of readers and a writer", testFrontPageIsOfOneState)
}

func testFrontPageIsOfOneState(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	d.Want("main", reporttest.Days(-40, 0).First)
	d.ReadEmpty(reporttest.Days(-40, 0))
	asked := d.QueryOf(fmt.Sprintf("from=%s&to=%s", reporttest.Days(-7, -7).First, reporttest.Days(-1, -1).First), overview.Accepted)
	done := make(chan struct{})
	var seen sync.Map
	states := func() (n int) {
		seen.Range(func(any, any) bool { n++; return true })
		return n
	}
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				front, err := reports.FrontPage(d.Context(), d.Service, asked)
				if err != nil {
					t.Error(err)
					return
				}
				if front.Empty != "" {
					continue
				}
				card := front.Cards[0].Commission
				if change := card.Amount.Value.Sub(card.Reference.Value); !front.Drivers.Change().Equal(change) {
					t.Errorf("the card changed by %s, and the drivers explain %s", change, front.Drivers.Change())
				}
				seen.Store(card.Amount.Exact(), true)
			}
		})
	}
	for n := 0; n < 40 || states() < 5 && n < 5000; n++ { // a busy machine gives the readers few turns
		d.Read("main", futures, reporttest.Days(-3, -3), reporttest.Trade(reporttest.Days(-3, -3).First, futures, n+1, affiliate.Number(fmt.Sprint(10+n))))
	}
	close(done)
	readers.Wait()
	if n := states(); n < 5 {
		t.Errorf("the page was read in %d states only: this test shows nothing", n)
	}
}
