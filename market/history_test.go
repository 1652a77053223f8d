package market

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	kept "rebatedesk/store/market"
	"rebatedesk/store/storetest"
)

var btc = kept.Key{Venue: "exchange.example", Pair: "BTCUSDT_SPBL"}

// openEmpty opens a store without any market.
func openEmpty(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	return s
}

// slotsOfMinutes makes a chart of all its minutes.
func slotsOfMinutes(t testing.TB, r *store.Tx, interval Interval, n int, now affiliate.Millis) []Slot {
	t.Helper()
	from := interval.Start(now) - affiliate.Millis(n-1)*interval.millis()
	minutes, err := kept.MinutesKept(t.Context(), r, btc, from, now+1)
	storetest.Done(t, err)
	known, err := kept.Stretches(t.Context(), r, btc, from, now)
	storetest.Done(t, err)
	return Slots(minutes, known, interval, n, now)
}

// Whatever trades are kept or deleted between two looks, late and old ones too, a chart is the
// same as one made of all its minutes.
func TestChartsRememberNothingWrong(t *testing.T) {
	s := openEmpty(t)
	var h history
	now, deleted := affiliate.Millis(1_780_000_000_000), affiliate.Millis(0)
	id := 0
	rapid.Check(t, func(d *rapid.T) {
		for range 6 {
			now += affiliate.Millis(rapid.IntRange(0, 3*3600_000).Draw(d, "later"))
			at := max(deleted, now-affiliate.Millis(rapid.IntRange(0, 12*3600_000).Draw(d, "before"))) // nothing is kept that is as old as what was deleted
			var trades []kept.KeptTrade
			for range rapid.IntRange(0, 4).Draw(d, "trades") {
				id++
				trades = append(trades, kept.KeptTrade{Time: at, ID: fmt.Sprint(id), Side: "buy", Price: affiliate.Number(fmt.Sprint(rapid.IntRange(1, 9).Draw(d, "price"))), Quantity: "0.1"})
				at += affiliate.Millis(rapid.IntRange(0, 90_000).Draw(d, "step"))
			}
			if len(trades) > 0 {
				known := kept.KnownStretch{From: trades[0].Time, To: trades[len(trades)-1].Time, Asked: trades[len(trades)-1].Time}
				storetest.Done(t, kept.KeepTrades(t.Context(), s, btc, trades, known))
			}
			if rapid.IntRange(0, 5).Draw(d, "prune") == 0 {
				deleted = now - affiliate.Millis(10*3600_000)
				_, err := kept.Prune(t.Context(), s, deleted, deleted)
				storetest.Done(t, err)
			}
			if rapid.IntRange(0, 3).Draw(d, "warm") == 0 {
				storetest.Done(t, h.warm(t.Context(), s, btc, Interval{"1h", time.Hour}, now))
			}
			r, err := s.Read(t.Context())
			storetest.Done(t, err)
			for _, interval := range []Interval{{"15m", 15 * time.Minute}, {"1h", time.Hour}} {
				n := rapid.SampledFrom([]int{5, 12}).Draw(d, "slots")
				got, err := h.chart(t.Context(), r, btc, interval, n, now)
				storetest.Done(t, err)
				if want := slotsOfMinutes(t, r, interval, n, now); !slices.Equal(got, want) {
					d.Fatalf("at %d the chart of %s is\n%v, want\n%v", now, interval.Name, got, want)
				}
			}
			r.Close()
		}
	})
}

// One trade deleted and another one added leave as many as before, and the chart still changes.
func TestChartsSeeDeletedAndAdded(t *testing.T) {
	s := openEmpty(t)
	now := affiliate.Millis(1_780_000_000_000)
	interval, _ := IntervalNamed("1h")
	hour := affiliate.Millis(time.Hour.Milliseconds())
	keep := func(id string, at affiliate.Millis) {
		t.Helper()
		trade := kept.KeptTrade{Time: at, ID: id, Side: "buy", Price: affiliate.Number(id), Quantity: "1"}
		storetest.Done(t, kept.KeepTrades(t.Context(), s, btc, []kept.KeptTrade{trade}, kept.KnownStretch{From: at, To: at, Asked: at}))
	}
	var h history
	same := func() {
		t.Helper()
		r, err := s.Read(t.Context())
		storetest.Done(t, err)
		defer r.Close()
		got, err := h.chart(t.Context(), r, btc, interval, 12, now)
		storetest.Done(t, err)
		if want := slotsOfMinutes(t, r, interval, 12, now); !slices.Equal(got, want) {
			t.Errorf("the chart is\n%v, want\n%v", got, want)
		}
	}
	keep("1", now-9*hour)
	keep("2", now-4*hour)
	same()
	_, err := kept.Prune(t.Context(), s, now-8*hour, now-8*hour)
	storetest.Done(t, err)
	keep("3", now-7*hour)
	same()
}

// Reading ahead leaves nothing to read but the running slot, and what it remembers is a chart of all
// minutes, with gaps. What was remembered by a reader in the meantime stays.
func TestChartsAreReadAhead(t *testing.T) {
	s := openEmpty(t)
	now := affiliate.Millis(1_780_000_000_000)
	interval, _ := IntervalNamed("4h")
	hour := affiliate.Millis(time.Hour.Milliseconds())
	for back := affiliate.Millis(0); back < 900; back += 7 {
		at := now - back*hour
		trade := kept.KeptTrade{Time: at, ID: fmt.Sprint(at), Side: "buy", Price: affiliate.Number(fmt.Sprint(100 + back%13)), Quantity: "0.123456789012345678"}
		storetest.Done(t, kept.KeepTrades(t.Context(), s, btc, []kept.KeptTrade{trade}, kept.KnownStretch{From: at - back%3*hour, To: at, Asked: at}))
	}
	var h history
	storetest.Done(t, h.warm(t.Context(), s, btc, interval, now))
	running := interval.Start(now)
	if _, unread := h.recall(pastKey{btc, interval.millis()}, running-(warmSlots-1)*interval.millis(), running); unread != running {
		t.Errorf("%d slots are still to be read", (running-unread)/interval.millis())
	}
	same := func(when string) {
		t.Helper()
		r, err := s.Read(t.Context())
		storetest.Done(t, err)
		defer r.Close()
		got, err := h.chart(t.Context(), r, btc, interval, 229, now)
		storetest.Done(t, err)
		if want := slotsOfMinutes(t, r, interval, 229, now); !slices.Equal(got, want) {
			t.Errorf("%s the chart is\n%v, want\n%v", when, got, want)
		}
	}
	same("after reading ahead")
	late := kept.KeptTrade{Time: now - 100*hour, ID: "late", Side: "sell", Price: "7", Quantity: "1"}
	storetest.Done(t, kept.KeepTrades(t.Context(), s, btc, []kept.KeptTrade{late}, kept.KnownStretch{From: late.Time, To: late.Time, Asked: late.Time}))
	same("after a late trade")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := new(history).warm(stopped, s, btc, interval, now); err == nil {
		t.Error("reading ahead went on after the end")
	}
}

// BenchmarkChart draws a chart of days again, of a market with a trade in each minute: from what is
// remembered, and from all its minutes.
func BenchmarkChart(b *testing.B) {
	const days = 229
	s, err := store.Open(b.Context(), storetest.Empty(b), store.Options{})
	storetest.Done(b, err)
	defer s.Close()
	now := affiliate.Millis(1_780_000_000_000)
	minute := affiliate.Millis(time.Minute.Milliseconds())
	for day := affiliate.Millis(days); day > 0; day-- {
		var trades []kept.KeptTrade
		for m := range affiliate.Millis(1440) {
			at := now - day*1440*minute + m*minute
			trades = append(trades, kept.KeptTrade{Time: at, ID: fmt.Sprint(at), Side: "buy", Price: affiliate.Number(fmt.Sprintf("60%03d.%02d", m%977, m%97)), Quantity: "0.1234"})
		}
		first, last := trades[0].Time, trades[len(trades)-1].Time
		storetest.Done(b, kept.KeepTrades(b.Context(), s, btc, trades, kept.KnownStretch{From: first, To: last, Asked: last}))
	}
	interval, _ := IntervalNamed("1d")
	r, err := s.Read(b.Context())
	storetest.Done(b, err)
	defer r.Close()
	b.Run("first after the start", func(b *testing.B) {
		for b.Loop() {
			var h history
			_, err := h.chart(b.Context(), r, btc, interval, days, now)
			storetest.Done(b, err)
		}
	})
	b.Run("first after reading ahead", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			var h history
			began := time.Now()
			storetest.Done(b, h.warm(b.Context(), s, btc, interval, now))
			b.ReportMetric(time.Since(began).Seconds(), "s/ahead")
			b.StartTimer()
			_, err := h.chart(b.Context(), r, btc, interval, days, now)
			storetest.Done(b, err)
		}
	})
	b.Run("remembered", func(b *testing.B) {
		var h history
		_, err := h.chart(b.Context(), r, btc, interval, days, now)
		storetest.Done(b, err)
		for b.Loop() {
			_, err := h.chart(b.Context(), r, btc, interval, days, now)
			storetest.Done(b, err)
		}
	})
	b.Run("minutes", func(b *testing.B) {
		for b.Loop() {
			slotsOfMinutes(b, r, interval, days, now)
		}
	})
}
