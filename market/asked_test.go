package market_test

import (
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/market"
)

// What a user asked for is known at every node and after a restart, for a day.
func TestAskedPairsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	f := open(t, simulator.Options{RateLimit: -1}, 1<<30)
	other := market.New(market.Options{Accounts: func() []affiliate.Account { return nil }, Store: f.store, Now: f.now,
		Client: func(affiliate.Account) (*weex.Client, bool) { return nil, false }})
	asked := func(feed *market.Feed, account affiliate.Account) []string {
		t.Helper()
		list, err := feed.Asked(t.Context(), account)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	f.feed.NoteAsked("main", pair)
	f.pass(time.Hour)
	for _, symbol := range []string{"ETHUSDT_SPBL", "SOLUSDT_SPBL", "ETHUSDT_SPBL"} {
		f.pass(time.Second)
		f.feed.NoteAsked("main", symbol)
	}
	f.feed.NoteAsked("asia", "XRPUSDT_SPBL")
	if got, want := asked(f.feed, "main"), []string{"ETHUSDT_SPBL", "SOLUSDT_SPBL", pair}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f.until(func() bool { return len(asked(other, "main")) == 3 && len(asked(other, "asia")) == 1 })
	if got := asked(other, "main"); got[2] != pair {
		t.Errorf("another node: %q", got)
	}
	f.pass(23*time.Hour + 30*time.Minute)
	if got := asked(other, "main"); slices.Contains(got, pair) || len(got) != 2 {
		t.Errorf("after a day: %q", got)
	}
	if got := asked(f.feed, "main"); slices.Contains(got, pair) || len(got) != 2 {
		t.Errorf("after a day, in the same process: %q", got)
	}
}
