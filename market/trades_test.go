package market_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/market"
)

// listed is a public trade as the exchange lists it.
type listed struct {
	id              string
	at              affiliate.Millis
	price, quantity string
}

// openListing opens a feed of an exchange that lists the given trades, and is simulated otherwise.
func openListing(t *testing.T) (f *fixture, list func(...listed)) {
	t.Helper()
	f = &fixture{TB: t, clock: &clock{at: start}}
	sim := simulator.New(simulator.Options{Seed: 7, Days: 2, Invitees: 5, Records: 20, Now: f.now, RateLimit: -1})
	var answer atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v2/market/fills" {
			sim.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write([]byte(*answer.Load())); err != nil {
			t.Log(err)
		}
	}))
	keys := sim.Credentials()
	var err error
	if f.client, err = weex.New(exchange.Config{
		BaseURL: server.URL, ContractBaseURL: server.URL, Key: keys.APIKey, Secret: keys.APISecret, Passphrase: keys.APIPassphrase,
		Budget: exchange.NewBudget(1 << 30), Now: f.now, Tries: 1,
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	f.begin()
	return f, func(trades ...listed) {
		var rows []string
		for _, one := range trades {
			rows = append(rows, fmt.Sprintf(`{"symbol":%q,"tradeId":%q,"fillTime":"%d","fillPrice":%q,"fillQuantity":%q,"tradeValue":"1","bestMatch":true,"buyerMaker":false}`,
				pair, one.id, one.at, one.price, one.quantity))
		}
		text := `{"code":"00000","msg":"success","requestTime":1,"data":[` + strings.Join(rows, ",") + `]}`
		answer.Store(&text)
	}
}

// candle returns the candle of a minute, once it is made of so many trades.
func (f *fixture) candle(minute affiliate.Millis, trades int) (found market.Slot) {
	f.Helper()
	f.until(func() bool {
		for _, s := range f.chart(pair, "1m", 5) {
			if s.Start == minute && s.Traded() && s.Trades == trades {
				found = s
				return true
			}
		}
		return false
	})
	return found
}

// Trades of one millisecond are in the order in which the exchange lists them, whatever their ids
// are: open and close of a candle are those of the first and the last one.
func TestTiesOfACandleKeepTheOrderOfTheList(t *testing.T) {
	minute := affiliate.MillisOf(start.Truncate(time.Minute)) - 60_000
	at := minute + 30_000
	for name, ids := range map[string][3]string{
		"numbers":        {"101", "102", "103"},
		"numbers turned": {"103", "102", "101"},
		"UUIDs":          {"f47ac10b-58cc-4372-a567-0e02b2c3d479", "0b9f3a52-1c67-4d1e-9a53-3f2f6f0c1a77", "7d444840-9dc0-11d1-b245-5ffdce74fad2"},
	} {
		for _, newestFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, newest first %v", name, newestFirst), func(t *testing.T) {
				t.Parallel()
				f, list := openListing(t)
				trades := []listed{{ids[2], at, "101", "1"}, {ids[1], at, "120", "2"}, {ids[0], at, "99", "1"}, {"1", minute + 10_000, "100", "1"}, {"0", minute - 5_000, "98", "1"}}
				if !newestFirst {
					slices.Reverse(trades)
				}
				list(trades...)
				w := f.feed.WatchMarket("main", pair)
				defer w.Close()
				w.Ready(t.Context(), 0)
				c := f.candle(minute, 4)
				if c.Open != "100" || c.High != "120" || c.Low != "99" || c.Close != "101" || c.Volume != "5" {
					t.Errorf("the candle is %+v, want open 100, high 120, low 99, close 101, volume 5", c.Candle)
				}
				if q := f.feed.Quote("main", pair); q.Trades.Value[0].FillPrice != "101" {
					t.Errorf("the newest trade is %+v", q.Trades.Value[0])
				}
			})
		}
	}
}

// A trade that is listed late, in the middle of its millisecond, moves the others to their places.
func TestLateTieFindsItsPlace(t *testing.T) {
	minute := affiliate.MillisOf(start.Truncate(time.Minute)) - 60_000
	at := minute + 30_000
	f, list := openListing(t)
	first, last := listed{"c", at, "99", "1"}, listed{"a", at, "101", "1"}
	before := listed{"0", minute - 5_000, "98", "1"}
	list(last, before)
	w := f.feed.WatchMarket("main", pair)
	defer w.Close()
	w.Ready(t.Context(), 0)
	f.candle(minute, 1)
	list(last, listed{"b", at, "120", "1"}, first, before)
	f.pass(10 * time.Second)
	f.until(func() bool {
		w.Ready(t.Context(), 0)
		f.pass(3 * time.Second)
		return slices.ContainsFunc(f.chart(pair, "1m", 5), func(s market.Slot) bool { return s.Start == minute && s.Trades == 3 })
	})
	if c := f.candle(minute, 3); c.Open != "99" || c.High != "120" || c.Close != "101" || c.Volume != "3" {
		t.Errorf("the candle is %+v, want open 99, high 120, close 101, volume 3", c.Candle)
	}
}

// What has no price or no quantity above 0 is no trade. A trade whose price cannot be read costs no
// other, and its minute is not known completely until the exchange lists it right.
func TestOddTradesOfACandle(t *testing.T) {
	minute := affiliate.MillisOf(start.Truncate(time.Minute)) - 120_000
	f, list := openListing(t)
	good := []listed{{"9", minute + 70_000, "102", "1"}, {"4", minute + 40_000, "101", "1"}, {"2", minute + 20_000, "100", "1"}, {"0", minute - 30_000, "97", "1"}}
	odd := slices.Concat(good[:2], []listed{{"3", minute + 30_000, "", "1"}, {"z", minute + 25_000, "0", "0"}, {"y", minute + 24_000, "90", "0"}, {"x", minute + 23_000, "-5", "1"}}, good[2:])
	list(odd...)
	w := f.feed.WatchMarket("main", pair)
	defer w.Close()
	w.Ready(t.Context(), 0)
	c := f.candle(minute, 2)
	if c.Open != "100" || c.High != "101" || c.Low != "100" || c.Close != "101" || c.Volume != "2" {
		t.Errorf("the candle is %+v, want open 100, high 101, low 100, close 101, volume 2", c.Candle)
	}
	if c.State == market.SlotWhole {
		t.Error("the minute counts as complete, and a trade of it could not be read")
	}
	list(slices.Insert(slices.Clone(good), 2, listed{"3", minute + 30_000, "105", "1"})...)
	f.pass(10 * time.Second)
	f.until(func() bool {
		w.Ready(t.Context(), 0)
		f.pass(3 * time.Second)
		return slices.ContainsFunc(f.chart(pair, "1m", 6), func(s market.Slot) bool { return s.Start == minute && s.Trades == 3 && s.State == market.SlotWhole })
	})
	if c := f.candle(minute, 3); c.High != "105" || c.Volume != "3" {
		t.Errorf("the candle is %+v, want high 105, volume 3", c.Candle)
	}
}
