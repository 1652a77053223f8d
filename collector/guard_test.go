package collector_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// A panic anywhere during a write ends the run and nothing else: with a window in hand, and
// within a transaction, which reads the store's clock. The next run finishes the work, and
// everything read is whole.
func TestPanicEndsTheRunOnly(t *testing.T) {
	caught := map[string]int{}
	injected := func(at string, panics func(d *fixture, n int64)) {
		for n := int64(1); ; n += 1 + n/4 {
			d := newFixture(t, simulator.Options{Seed: 3, Days: 3, Invitees: 4, Records: 20})
			panics(d, n)
			_, err := d.Collect(t.Context(), collector.RunRequest{})
			crashpoint.Watch(nil)
			if err == nil {
				return
			}
			if caught[at]++; !strings.Contains(err.Error(), "injected") {
				t.Errorf("%s, time %d: the run says %v", at, n, err)
			}
			d.Collector = d.collector(d.store, d.client)
			if report, err := d.Collect(t.Context(), collector.RunRequest{}); err != nil || !report.Complete {
				t.Errorf("%s, time %d: the run after it says %v, complete %t", at, n, err, report.Complete)
			}
			for finding, err := range upkeep.Verify(t.Context(), d.store) {
				if err != nil || !finding.Sound() {
					t.Errorf("%s, time %d: %+v (%v)", at, n, finding, err)
				}
			}
		}
	}
	// From then on each time, not once: windows that fail together are tried again alone.
	injected("a window", func(_ *fixture, n int64) {
		var read atomic.Int64
		crashpoint.Watch(func(crashpoint.Point) {
			if read.Add(1) >= n {
				panic("injected")
			}
		})
	})
	injected("a transaction", func(d *fixture, n int64) {
		var asked atomic.Int64
		s, err := store.Open(t.Context(), d.path, store.Options{Now: func() time.Time {
			if asked.Add(1) >= n {
				panic("injected")
			}
			return d.clock.now()
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		d.Collector = d.collector(s, d.client)
	})
	if caught["a window"] < 3 || caught["a transaction"] < 6 {
		t.Errorf("caught %v", caught)
	}
}

// refusals panics when a rate is refused, as a bug in that place would.
type refusals struct{ slog.Handler }

func (h refusals) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "rate refused" {
		panic("injected")
	}
	return nil
}

func (refusals) Enabled(context.Context, slog.Level) bool { return true }

// A panic of the sampler is an ordinary failure: the sampling is tried again later, and the
// collection continues.
func TestPanicOfTheSampler(t *testing.T) {
	d := newRateFixture(t, "BTC")
	options := d.options()
	options.Log = slog.New(refusals{slog.DiscardHandler})
	d.Collector = collector.New(options)
	d.answer.Store(tickers(`{"symbol":"BTCUSDT_SPBL","lastPrice":"-1","ts":` + millisText(start) + `}`))
	if report, err := d.Collect(t.Context(), collector.RunRequest{}); err != nil || !report.Complete {
		t.Fatalf("%v, complete %t", err, report.Complete)
	}
	d.wantAsked(1)
	d.answer.Store(nil)
	d.clock.advance(6 * time.Minute)
	d.run(collector.RunRequest{})
	if d.wantAsked(2); !d.rate("BTC").Price.Known() {
		t.Error("no rate was sampled after the panic")
	}
}
