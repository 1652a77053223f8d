package reports_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
)

// earnedWords returns the first line of the front page with its report.
func (d *fixture) earnedWords(text string) (string, *reports.Front) {
	d.Helper()
	front, err := reports.FrontPage(d.Context(), d.Service, d.queryOf(text, overview.Accepted))
	if err != nil {
		d.Fatal(err)
	}
	var b strings.Builder
	for _, part := range phrase.Earned(phrase.EarnedFacts{Report: front.Report, Drivers: front.Drivers, Payments: front.Payments}) {
		b.WriteString(part.Text)
	}
	return b.String(), front
}

// The first line has the amounts of the report. It names a cause only where the drivers have one
// that makes half of a change that is large enough, and compares only what is collected.
func TestFirstLineOfTheFrontPage(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "UTC")
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	d.want("main", days(-80, 0).First)
	d.readEmpty(days(-80, 0))
	d.read("main", futures, days(-40, -1),
		trade(days(-12, -12).First, futures, 1, "100"), trade(days(-12, -12).First, futures, 2, "100"),
		trade(days(-3, -3).First, futures, 1, "40"), trade(days(-3, -3).First, futures, 2, "100"))
	span := func(first, last int) string {
		return fmt.Sprintf("from=%s&to=%s", days(first, first).First, days(last, last).First)
	}
	for _, c := range []struct{ query, want string }{
		{span(-7, -1), "Earned 140.00 USDT from " + days(-7, -7).First.Format("2 Jan 2006") + " to " + days(-1, -1).First.Format("2 Jan 2006") + ", 30.0\u00a0% less than before, mostly since one invitee brought less."},
		{span(-7, -1) + "&compare=none", "Earned 140.00 USDT from " + days(-7, -7).First.Format("2 Jan 2006") + " to " + days(-1, -1).First.Format("2 Jan 2006") + "."},
		{span(-3, -3), "Earned 140.00 USDT on " + days(-3, -3).First.Format("2 Jan 2006") + ", and nothing before."},
		{span(-30, -20), ""},
		{span(-90, -1), "as far as it is collected ("},
	} {
		said, front := d.earnedWords(c.query)
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
	d := newFixture(t, "UTC")
	futures := affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	d.want("main", days(-40, 0).First)
	d.readEmpty(days(-40, 0))
	asked := d.queryOf(fmt.Sprintf("from=%s&to=%s", days(-7, -7).First, days(-1, -1).First), overview.Accepted)
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
		d.read("main", futures, days(-3, -3), trade(days(-3, -3).First, futures, n+1, affiliate.Number(fmt.Sprint(10+n))))
	}
	close(done)
	readers.Wait()
	if n := states(); n < 5 {
		t.Errorf("the page was read in %d states only: this test shows nothing", n)
	}
}
