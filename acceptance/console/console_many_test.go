package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// readersOf signs in as many traders as it takes to open a number of streams, of which a user may
// hold 8.
func readersOf(o *site.Site, streams int) []*site.Visitor {
	o.Helper()
	var list []*site.Visitor
	for i := range (streams + 7) / 8 {
		name := fmt.Sprintf("reader%d", i)
		o.AddUser(name, access.Trader)
		v := o.SignedInAs(name)
		o.Enrol(v)
		list = append(list, v)
	}
	return list
}

// opened opens a number of streams, of the given pages in turn, and waits until each has told
// something.
func opened(readers []*site.Visitor, streams int, pages ...string) (list []*site.Stream) {
	for i := range streams {
		list = append(list, readers[i/8].Stream(pages[i%len(pages)]))
	}
	for i, s := range list {
		if s.Status != 200 {
			readers[0].Fatalf("stream %d: status %d", i+1, s.Status)
		}
		s.Until(readers[0], "part", "", 15*time.Second)
	}
	return list
}

// Fifty browsers with a page open cost the exchange as many calls as one, and each of them is told
// what is new.
func TestFiftyStreamsCostAsMuchAsOne(t *testing.T) {
	t.Parallel()
	prices := &site.Clock{At: site.Now}
	c := site.OpenConsole(t, simulator.Options{Now: prices.Now})
	readers := readersOf(c.Site, 50)
	const span = 24 * time.Second / site.Speed // twelve readings of trades
	counted := func(readers []*site.Visitor, streams int) int {
		list := opened(readers, streams, marketStream)
		before := c.Sim.Stats().All()
		for _, s := range list {
			drained(s)
		}
		time.Sleep(span / 4)
		prices.Pass(time.Minute) // there are new trades
		time.Sleep(3 * span / 4)
		calls := c.Sim.Stats().All() - before
		for i, s := range list {
			if !told(s, "part", `id="market-trades"`) {
				t.Errorf("stream %d of %d was told no trades", i+1, streams)
			}
			s.Close()
		}
		return calls
	}
	one := counted(readers[6:], 1) // the last reader has room for one that is not yet closed
	fifty := counted(readers, 50)
	t.Logf("one stream cost %d calls, fifty %d", one, fifty)
	// What is due at one end of a span may be asked within it or not.
	if one < 8 || fifty > one+4 {
		t.Errorf("one stream cost %d calls, fifty %d", one, fifty)
	}
}

// told reports whether an event is among those that have come.
func told(s *site.Stream, name, holds string) bool {
	for {
		select {
		case event := <-s.Events:
			if strings.HasPrefix(event, name+" ") && strings.Contains(event, holds) {
				return true
			}
		default:
			return false
		}
	}
}

// drained takes the events that have come already.
func drained(s *site.Stream) {
	for {
		select {
		case <-s.Events:
		default:
			return
		}
	}
}

// With fifty streams of several pages open during a backfill, the weight stays within the budget,
// the backfill gets most of it, and the pages stay alive.
func TestBackfillBesideFiftyStreams(t *testing.T) {
	t.Parallel()
	const budget = 200
	sim, err := simulator.Listen("127.0.0.1:0", simulator.Options{Seed: 7, Days: 40, Invitees: 20, Records: 300, RateLimit: budget, Now: site.ClockAtNow})
	if err != nil {
		t.Fatal(err)
	}
	client, err := weex.New(exchange.Config{BaseURL: sim.BaseURL, ContractBaseURL: sim.ContractBaseURL, Key: exchange.Secret(sim.APIKey),
		Secret: exchange.Secret(sim.APISecret), Passphrase: exchange.Secret(sim.APIPassphrase), Budget: exchange.NewBudget(budget), Now: site.ClockAtNow, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	o := site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{Upstream: client, Marked: []string{site.Spot, "ETHUSDT_SPBL"}}, Trading: site.OpenDesk(t, trading.Options{Mode: trading.Live}, client)})
	list := opened(readersOf(o, 50), 50, marketStream, overviewStream, "page=orders&account=main",
		"page=market&account=main&symbol=SOLUSDT_SPBL&interval=5m", "page=market&account=main&symbol=cmt_btcusdt&interval=1m", "page=ticket&account=main&symbol=XRPUSDT_SPBL")
	ctx, cancel := context.WithTimeout(exchange.WithPriority(t.Context(), exchange.Collection), 12*time.Second)
	defer cancel()
	collected := 0
	for ctx.Err() == nil {
		if _, err := client.Commissions(ctx, weex.CommissionQuery{Product: affiliate.Spot}); err == nil {
			collected++
		} else if ctx.Err() == nil {
			t.Fatal(err)
		}
	}
	stats := sim.Stats()
	t.Logf("peak weight %d of %d, %d calls refused, the backfill got %d weight", stats.PeakWeight, budget, stats.Exceeded, collected*20)
	if stats.Exceeded > 0 || stats.PeakWeight > budget {
		t.Errorf("the weight reached %d of %d, and %d calls were refused", stats.PeakWeight, budget, stats.Exceeded)
	}
	if collected*20 < budget/2 {
		t.Errorf("the backfill got %d weight in more than one window of %d", collected*20, budget)
	}
	for _, s := range list {
		drained(s)
	}
	time.Sleep(7 * time.Second / site.Speed) // longer than a heartbeat
	for i, s := range list {
		if len(s.Events) == 0 {
			t.Errorf("stream %d is silent", i+1)
		}
	}
}
