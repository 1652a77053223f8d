package market_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/market"
	"rebatedesk/store/storetest"
)

var btc = market.Key{Venue: "exchange.example", Pair: "BTCUSDT_SPBL"}

func open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	return s
}

// Whatever part of the trades each answer holds, and in whatever order answers are kept, twice
// too: a stretch lacks no trade, candles are those of the kept trades, and nothing is kept twice.
func TestStretchesLackNothing(t *testing.T) {
	race.Skip(t, "random stretches, one after the other")
	storetest.Engines(t, "statements about candles", testStretchesLackNothing)
}

func testStretchesLackNothing(t *testing.T) {
	s := open(t)
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		key := market.Key{Venue: "exchange.example", Pair: fmt.Sprint("PAIR", round)}
		base := affiliate.Millis(1_780_000_000_000)
		var all []market.KeptTrade
		for i, at := range rapid.SliceOfN(rapid.Int64Range(0, 400_000), 1, 60).Draw(r, "times") {
			all = append(all, market.KeptTrade{Time: base + affiliate.Millis(at/20*20), ID: fmt.Sprint(i), Side: "buy",
				Price: affiliate.Number(fmt.Sprint(1 + i%7)), Quantity: "0.1"})
		}
		slices.SortFunc(all, market.CompareTrades)
		for range rapid.IntRange(1, 8).Draw(r, "answers") {
			end := rapid.IntRange(1, len(all)).Draw(r, "end")
			first := rapid.IntRange(0, end-1).Draw(r, "first")
			from := all[first].Time + 1 // of the oldest millisecond some may be missing
			var answer []market.KeptTrade
			for _, trade := range all[first:end] {
				if trade.Time >= from {
					answer = append(answer, trade)
				}
			}
			if len(answer) == 0 {
				continue
			}
			to := answer[len(answer)-1].Time
			if err := market.KeepTrades(t.Context(), s, key, answer, market.KnownStretch{From: from, To: to, Asked: to}); err != nil {
				r.Fatal(err)
			}
		}
		check(t, r, s, key, all)
	})
}

func check(t *testing.T, r *rapid.T, s *store.Store, key market.Key, all []market.KeptTrade) {
	tx, err := s.Read(t.Context())
	storetest.Done(t, err)
	defer tx.Close()
	const ever = affiliate.Millis(1 << 50)
	kept, err := market.KeptTrades(t.Context(), tx, key, 0, ever)
	storetest.Done(t, err)
	stretches, err := market.Stretches(t.Context(), tx, key, 0, ever)
	storetest.Done(t, err)
	for i, one := range stretches {
		if i > 0 && one.From <= stretches[i-1].To {
			r.Fatalf("stretches overlap: %v", stretches)
		}
		for _, trade := range all {
			if trade.Time >= one.From && trade.Time < one.To && !slices.Contains(kept, trade) {
				r.Fatalf("%v lies in %v and is not kept", trade, one)
			}
		}
	}
	candles, err := market.MinutesKept(t.Context(), tx, key, 0, ever)
	storetest.Done(t, err)
	if want := market.MinuteCandles(kept); !slices.Equal(candles, want) {
		r.Fatalf("candles %v, want %v", candles, want)
	}
}

// Old trades are deleted before their candles, and a late answer that holds a few of them does
// not change the candle.
func TestRetention(t *testing.T) { storetest.Engines(t, "statements about old candles", testRetention) }

func testRetention(t *testing.T) {
	s := open(t)
	base := affiliate.MillisOf(time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC))
	trades := []market.KeptTrade{
		{Time: base, ID: "1", Price: "10", Quantity: "1", Side: "buy"}, {Time: base + 5, ID: "2", Price: "12", Quantity: "1.5", Side: "sell"},
		{Time: base + 60_000, ID: "3", Price: "11", Quantity: "2", Side: ""},
	}
	keep := func(list []market.KeptTrade) {
		t.Helper()
		storetest.Done(t, market.KeepTrades(t.Context(), s, btc, list, market.KnownStretch{From: list[0].Time, To: list[len(list)-1].Time}))
	}
	keep(trades)
	storetest.Done(t, market.KeepPrice(t.Context(), s, btc, market.KeptPrice{Time: base, Price: "10"}))
	count := func() (n, prices, candles, stretches int, first market.Candle) {
		t.Helper()
		tx, err := s.Read(t.Context())
		storetest.Done(t, err)
		defer tx.Close()
		const ever = affiliate.Millis(1 << 50)
		list, err := market.KeptTrades(t.Context(), tx, btc, 0, ever)
		storetest.Done(t, err)
		samples, err := market.PricesKept(t.Context(), tx, btc, 0, ever)
		storetest.Done(t, err)
		minutes, err := market.MinutesKept(t.Context(), tx, btc, 0, ever)
		storetest.Done(t, err)
		known, err := market.Stretches(t.Context(), tx, btc, 0, ever)
		storetest.Done(t, err)
		if len(minutes) > 0 {
			first = minutes[0]
		}
		return len(list), len(samples), len(minutes), len(known), first
	}
	if _, err := market.Prune(t.Context(), s, base+59_999, base-1); err != nil {
		t.Fatal(err)
	}
	if n, prices, candles, stretches, _ := count(); n != 3 || prices != 1 || candles != 2 || stretches != 1 {
		t.Errorf("half a minute was deleted: %d trades, %d prices, %d candles, %d stretches", n, prices, candles, stretches)
	}
	if _, err := market.Prune(t.Context(), s, base+60_000, base-1); err != nil {
		t.Fatal(err)
	}
	keep(trades[1:2])
	n, prices, candles, stretches, first := count()
	if n != 2 || prices != 0 || candles != 2 || stretches != 1 || first.Open != "10" || first.Volume != "2.5" {
		t.Errorf("%d trades, %d prices, %d candles, %d stretches, first %v", n, prices, candles, stretches, first)
	}
	if _, err := market.Prune(t.Context(), s, base+3_600_000, base+3_600_000); err != nil {
		t.Fatal(err)
	}
	if n, _, candles, stretches, _ := count(); n+candles+stretches != 0 {
		t.Errorf("%d trades, %d candles and %d stretches are left", n, candles, stretches)
	}
}
