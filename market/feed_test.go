package market_test

import (
	"context"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/pipes"
	"rebatedesk/internal/race"
	"rebatedesk/market"
	"rebatedesk/store"
)

const (
	pair     = "BTCUSDT_SPBL"
	contract = "cmt_btcusdt"
)

var start = time.Date(2026, 9, 1, 12, 0, 30, 0, time.UTC)

// clock is a clock that a test sets.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	since func() time.Duration // by which it is later; nil: it stands still
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since != nil {
		return c.at.Add(c.since())
	}
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture is a feed with its store and a simulated exchange.
type fixture struct {
	testing.TB
	*clock
	sim    *simulator.Server
	client *weex.Client
	store  *store.Store
	feed   *market.Feed
}

func open(t testing.TB, o simulator.Options, budget int, favourites ...string) *fixture {
	t.Helper()
	f := &fixture{TB: t, clock: &clock{at: start}}
	o.Seed, o.Days, o.Invitees, o.Records, o.Now = 7, 2, 5, 20, f.now
	var err error
	if f.sim, err = simulator.Listen("127.0.0.1:0", o); err != nil {
		t.Fatal(err)
	}
	if f.client, err = weex.New(exchange.Config{
		BaseURL: f.sim.BaseURL, ContractBaseURL: f.sim.ContractBaseURL, Key: exchange.Secret(f.sim.APIKey), Secret: exchange.Secret(f.sim.APISecret),
		Passphrase: exchange.Secret(f.sim.APIPassphrase), Budget: exchange.NewBudget(budget), Now: f.now, Tries: 1,
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.sim.Close(); err != nil {
			t.Error(err)
		}
	})
	f.begin(favourites...)
	return f
}

// timed is open for a bubble: its clock goes on with the simulated time.
func timed(t testing.TB, o simulator.Options, budget int, favourites ...string) *fixture {
	t.Helper()
	began := time.Now()
	f := &fixture{TB: t, clock: &clock{at: start, since: func() time.Duration { return time.Since(began) }}}
	o.Seed, o.Days, o.Invitees, o.Records, o.Now = 7, 2, 5, 20, f.now
	f.sim = &simulator.Server{Simulator: simulator.New(o)}
	keys := f.sim.Credentials()
	var err error
	if f.client, err = weex.New(exchange.Config{
		BaseURL: "http://127.0.0.1", Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(budget), Now: f.now, Tries: 1, Dial: pipes.Serve(t, f.sim),
	}); err != nil {
		t.Fatal(err)
	}
	f.begin(favourites...)
	return f
}

// begin starts a feed with a store of its own.
func (f *fixture) begin(favourites ...string) {
	f.Helper()
	var err error
	if f.store, err = store.Open(f.Context(), filepath.Join(f.TempDir(), "market.db"), store.Options{Now: f.now}); err != nil {
		f.Fatal(err)
	}
	f.feed = market.New(market.Options{
		Accounts: func() []affiliate.Account { return []affiliate.Account{"main"} },
		Client: func(name affiliate.Account) (*weex.Client, bool) {
			return f.client, name == "main"
		},
		Favourites: func(context.Context) ([]string, error) { return favourites, nil },
		Store:      f.store, Now: f.now, KeepTrades: 24 * time.Hour, KeepCandles: 48 * time.Hour,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { f.feed.Run(ctx) })
	f.Cleanup(func() {
		cancel()
		running.Wait()
		f.client.Close()
		if err := f.store.Close(); err != nil {
			f.Error(err)
		}
	})
}

// poll asks once for everything that a reader needs, and waits until its trades are kept.
func (f *fixture) poll(w *market.Reader, symbol string) {
	f.Helper()
	w.Ready(f.Context(), 0)
	q := f.feed.Quote("main", symbol)
	last := q.Contract.Value.Time
	if len(q.Trades.Value) > 0 {
		last = q.Trades.Value[0].FillTime
	}
	f.until(func() bool {
		slots := f.chart(symbol, "1m", 3)
		return slices.ContainsFunc(slots, func(s market.Slot) bool { return s.Traded() && s.Start == last-last%60_000 })
	})
}

func (f *fixture) chart(symbol, interval string, n int) []market.Slot {
	f.Helper()
	length, _ := market.IntervalNamed(interval)
	slots, err := f.feed.Chart(f.Context(), "main", symbol, length, n)
	if err != nil {
		f.Fatal(err)
	}
	return slots
}

func (f *fixture) until(done func() bool) {
	f.Helper()
	for range 400 {
		if done() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	f.Fatal("it did not happen within ten seconds")
}

func rat(t testing.TB, n affiliate.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r
}

// Candles are those that the exchange's own trades make, computed another way, at every length;
// they are known as complete.
func TestCandlesAreThoseOfTheTrades(t *testing.T) {
	t.Parallel()
	race.Skip(t, "thousands of trades, drawn by one goroutine")
	f := open(t, simulator.Options{RateLimit: -1}, 1<<30)
	w := f.feed.WatchMarket("main", pair)
	defer w.Close()
	for range 4 {
		f.poll(w, pair)
		f.pass(10 * time.Second)
	}
	page, err := f.client.Trades(t.Context(), weex.TradeQuery{Symbol: pair, Limit: 1000})
	trades := page.Records
	if err != nil || len(trades) != 1000 {
		t.Fatal(len(trades), err)
	}
	f.poll(w, pair)
	oldest := slices.MinFunc(trades, func(a, b weex.Trade) int { return int(a.FillTime - b.FillTime) }).FillTime
	for _, interval := range market.Intervals {
		for _, s := range f.chart(pair, interval.Name, 150) {
			if s.Start <= oldest {
				if s.State == market.SlotWhole {
					t.Errorf("%s at %v is known as complete before the first answer", interval.Name, s.Start.Time())
				}
				continue
			}
			compare(t, interval, s, trades)
		}
	}
	compareAverage(t, f.chart(pair, "1m", 150), trades, 20)
}

// compareAverage computes the newest average of prices from the trades that the exchange lists.
func compareAverage(t *testing.T, slots []market.Slot, trades []weex.Trade, n int) {
	t.Helper()
	ends := map[affiliate.Millis]weex.Trade{} // the last trade of each minute
	for _, v := range trades {
		minute := v.FillTime - v.FillTime%60_000
		if last, ok := ends[minute]; !ok || rat(t, affiliate.Number(v.TradeID)).Cmp(rat(t, affiliate.Number(last.TradeID))) > 0 {
			ends[minute] = v
		}
	}
	minutes := slices.Sorted(maps.Keys(ends))
	sum := new(big.Rat)
	for _, minute := range minutes[len(minutes)-n:] {
		sum.Add(sum, rat(t, ends[minute].FillPrice))
	}
	averages := market.MovingAverages(slots, n, closeOf)
	if got, want := averages[len(averages)-1], sum.Quo(sum, new(big.Rat).SetInt64(int64(n))); !got.Known() || rat(t, got).Cmp(want) != 0 {
		t.Errorf("the newest average is %q, want %s", got, want.FloatString(8))
	}
}

// compare computes a candle from the trades that the exchange lists.
func compare(t *testing.T, interval market.Interval, s market.Slot, trades []weex.Trade) {
	t.Helper()
	var within []weex.Trade
	for _, v := range trades {
		if v.FillTime >= s.Start && v.FillTime < s.Start+affiliate.Millis(interval.Length.Milliseconds()) {
			within = append(within, v)
		}
	}
	if s.Trades != len(within) || s.Gap() {
		t.Fatalf("%s at %v: %d trades, want %d, %s", interval.Name, s.Start.Time(), s.Trades, len(within), s.State)
	}
	if len(within) == 0 {
		return
	}
	// Ids of the simulator grow with time.
	slices.SortFunc(within, func(a, b weex.Trade) int {
		return rat(t, affiliate.Number(a.TradeID)).Cmp(rat(t, affiliate.Number(b.TradeID)))
	})
	high, low, volume := rat(t, within[0].FillPrice), rat(t, within[0].FillPrice), new(big.Rat)
	for _, v := range within {
		p := rat(t, v.FillPrice)
		if p.Cmp(high) > 0 {
			high = p
		}
		if p.Cmp(low) < 0 {
			low = p
		}
		volume.Add(volume, rat(t, v.FillQuantity))
	}
	for what, both := range map[string][2]*big.Rat{
		"open": {rat(t, s.Open), rat(t, within[0].FillPrice)}, "close": {rat(t, s.Close), rat(t, within[len(within)-1].FillPrice)},
		"high": {rat(t, s.High), high}, "low": {rat(t, s.Low), low}, "volume": {rat(t, s.Volume), volume},
	} {
		if both[0].Cmp(both[1]) != 0 {
			t.Errorf("%s at %v: %s is %s, want %s", interval.Name, s.Start.Time(), what, both[0].FloatString(8), both[1].FloatString(8))
		}
	}
}

// Trades that the exchange no longer listed when it was asked again are a gap, in which nothing
// is drawn; after the time of the settings they are deleted.
func TestGapsAreShown(t *testing.T) {
	t.Parallel()
	f := open(t, simulator.Options{RateLimit: -1}, 1<<30)
	w := f.feed.WatchMarket("main", pair)
	defer w.Close()
	f.poll(w, pair)
	f.pass(10 * time.Hour)
	f.poll(w, pair)
	states := map[market.SlotState]int{}
	for _, s := range f.chart(pair, "15m", 48) {
		states[s.State]++
		if s.State == market.SlotUnseen && s.Traded() {
			t.Errorf("a candle is drawn at %v, of which nothing is known", s.Start.Time())
		}
	}
	// Two answers of 1000 trades reach back about two hours each.
	if states[market.SlotUnseen] < 20 || states[market.SlotWhole] < 10 || states[market.SlotPartial] < 1 {
		t.Errorf("%v", states)
	}
}

// What a contract's chart is made of are prices, so it has no volume; a pause is a gap.
func TestContractCandles(t *testing.T) {
	t.Parallel()
	f := open(t, simulator.Options{RateLimit: -1}, 1<<30)
	w := f.feed.WatchMarket("main", contract)
	defer w.Close()
	f.poll(w, contract)
	q := f.feed.Quote("main", contract)
	slots := f.chart(contract, "1m", 5)
	last := slots[len(slots)-1]
	if !q.Contract.Value.MarkPrice.Known() || last.Close != q.Contract.Value.Last || last.Volume.Known() || slots[0].State != market.SlotUnseen {
		t.Errorf("%+v of %+v", last, q.Contract.Value)
	}
}

// Fifty readers of a pair cost the exchange as many calls as one, and nobody none.
func TestFiftyReadersCostAsMuchAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := timed(t, simulator.Options{RateLimit: -1}, 1<<30)
		f.feed.Quote("main", pair)
		counted := func(readers int) int {
			before := f.sim.Stats().All()
			for range readers {
				w := f.feed.WatchMarket("main", pair)
				defer w.Close()
				o := f.feed.WatchOrders("main", []string{pair})
				defer o.Close()
			}
			time.Sleep(4500 * time.Millisecond)
			return f.sim.Stats().All() - before
		}
		one := counted(1)
		fifty := counted(50)
		if one < 3 || fifty > one+1 {
			t.Errorf("one reader cost %d calls, fifty %d", one, fifty)
		}
		if n := f.feed.Readers(); n != 0 {
			t.Fatalf("%d readers are left", n)
		}
		time.Sleep(300 * time.Millisecond) // what was under way ends
		before := f.sim.Stats().All()
		time.Sleep(2500 * time.Millisecond)
		if n := f.sim.Stats().All() - before; n > 0 {
			t.Errorf("without a reader and a favourite there were %d calls", n)
		}
	})
}

// With charts open during a backfill, the weight stays within the limit, and the backfill gets
// most of it.
func TestBackfillBesideCharts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := timed(t, simulator.Options{RateLimit: 200}, 200, pair, "ETHUSDT_SPBL", "SOLUSDT_SPBL")
		began := f.sim.Stats().Requests
		for _, symbol := range []string{pair, "ETHUSDT_SPBL", "SOLUSDT_SPBL", "XRPUSDT_SPBL", "DOGEUSDT_SPBL", contract} {
			w := f.feed.WatchMarket("main", symbol)
			defer w.Close()
		}
		ctx, cancel := context.WithTimeout(exchange.WithPriority(t.Context(), exchange.Collection), 32*time.Second)
		defer cancel()
		collected := 0
		for ctx.Err() == nil {
			if _, err := f.client.Commissions(ctx, weex.CommissionQuery{Product: affiliate.Spot}); err == nil {
				collected++
			} else if ctx.Err() == nil {
				t.Fatal(err)
			}
		}
		stats := f.sim.Stats()
		trades := 0
		for path, n := range stats.Requests {
			if strings.Contains(path, "market/fills") {
				trades += n - began[path]
			}
		}
		if stats.Exceeded > 0 || stats.PeakWeight > 200 {
			t.Errorf("the weight reached %d of 200, and %d calls were refused", stats.PeakWeight, stats.Exceeded)
		}
		// 200 in each of three windows, three quarters of it for the backfill. Which of both comes
		// first in a window is chance, so one window alone may leave the charts a single reading.
		if collected*20 < 450 || trades < 3 {
			t.Errorf("the backfill got %d weight, the charts %d readings of trades", collected*20, trades)
		}
	})
}

// How many other pairs a ticket may follow depends on the budget: with a sixth of the polls' share,
// each of them is read before its open orders are too old.
func TestMostOthersFollowsTheBudget(t *testing.T) {
	t.Parallel()
	for budget, want := range map[int]int{20: 7, 200: 14, 400: 35, 1 << 30: 40} {
		f := open(t, simulator.Options{RateLimit: -1}, budget)
		if n := f.feed.MostOthers("main"); n != want {
			t.Errorf("with a budget of %d there are %d, want %d", budget, n, want)
		}
	}
}
