package collector_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange/simulator"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store/upkeep"
)

// A panic at any step of the write path ends the run and nothing else: the next
// run finishes the work, and what was read is whole.
func TestPanicEndsTheRunOnly(t *testing.T) {
	var caught int
	for _, point := range crashpoint.All() {
		d := newDesk(t, simulator.Options{Seed: 3, Days: 3, Invitees: 4, Records: 20})
		var reached atomic.Bool
		// Each time, not once: windows that fail together are tried again alone.
		crashpoint.Watch(func(p crashpoint.Point) {
			if p == point {
				reached.Store(true)
				panic("injected at " + p.String())
			}
		})
		_, err := d.Collect(t.Context(), collector.RunRequest{})
		crashpoint.Watch(nil)
		if reached.Load() {
			caught++
			if err == nil || !strings.Contains(err.Error(), "injected") {
				t.Errorf("%s: the run says %v", point, err)
			}
		}
		if report, err := d.Collect(t.Context(), collector.RunRequest{}); err != nil || !report.Complete {
			t.Errorf("%s: the run after it says %v, complete %t", point, err, report.Complete)
		}
		for finding, err := range upkeep.Verify(t.Context(), d.store) {
			if err != nil || !finding.Sound() {
				t.Errorf("%s: %+v (%v)", point, finding, err)
			}
		}
	}
	if caught < 12 {
		t.Errorf("only %d steps were come by", caught)
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

// A panic of the sampler is a failure like others: it is tried again later, and
// the collection goes on.
func TestPanicOfTheSampler(t *testing.T) {
	d := newRateDesk(t, "BTC")
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
