package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
)

// inexact ends the help of amounts: Prometheus keeps floats.
const inexact = " About 15 digits are right, since Prometheus keeps floats; the exact amount is on the pages and in the exports."

// figuresMade says how old the figures are.
var figuresMade = description("figures_timestamp_seconds", "The instant that the figures of commission, coverage, payments and findings are about. No series until they were made once.")

// figureGauges are the gauges of the figures, by name.
var figureGauges = func() map[string]*prometheus.Desc {
	gauges := map[string]*prometheus.Desc{"findings": description("findings", "Open findings of the page Attention.", "kind")}
	for _, k := range findings.Kinds() {
		for _, g := range k.Gauges {
			help := g.Help
			if g.Amount {
				help += inexact
			}
			gauges[g.Name] = description(g.Name, help, g.Labels...)
		}
	}
	return gauges
}()

// Limits of the figures.
const (
	figuresPause  = 15 * time.Second // between two makings at least, however many writes there are
	figuresRenew  = 5 * time.Minute  // without a write: days end and payments become overdue
	figuresStale  = time.Hour        // older ones are not shown any more
	figuresWithin = time.Minute      // a making takes no longer
	firstWithin   = 3 * time.Second  // how long a scrape waits for the first ones
)

// figures shows the last finished report. A scrape never waits for a report, except for the first
// one after the start: it asks for a newer one, which [figures.run] makes.
type figures struct {
	store *store.Store
	make  func(context.Context) (findings.Measures, error)
	ask   chan struct{} // holds one request
	first chan struct{} // closed when there is a report

	mu      sync.Mutex
	report  *findings.Measures
	made    time.Time
	written affiliate.Millis // stamp of the last write before it was made
}

func newFigures(st *store.Store, report func(context.Context) (findings.Measures, error)) *figures {
	return &figures{store: st, make: report, ask: make(chan struct{}, 1), first: make(chan struct{})}
}

// run makes reports when they are asked for, until ctx ends.
func (f *figures) run(ctx context.Context, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.ask:
		}
		err := guard.Do(log, "making figures for the metrics", func() error { return f.renew(ctx) })
		if err != nil && ctx.Err() == nil {
			log.Warn("the figures of the metrics could not be made", "error", err)
		}
	}
}

// renew makes a report if there is reason to.
func (f *figures) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, figuresWithin)
	defer cancel()
	written, err := f.store.LastWrite(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	since := time.Since(f.made)
	due := f.report == nil || since >= figuresRenew || written != f.written && since >= figuresPause
	f.mu.Unlock()
	if !due {
		return nil
	}
	made := time.Now()
	report, err := f.make(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.report == nil {
		close(f.first)
	}
	f.report, f.made, f.written = &report, made, written
	return nil
}

// last asks for a newer report and returns the last one; nil if there is none yet, or only one
// that is too old.
func (f *figures) last() *findings.Measures {
	select {
	case f.ask <- struct{}{}:
	default: // one is asked for already
	}
	select {
	case <-f.first:
	case <-time.After(firstWithin):
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.made) > figuresStale {
		return nil
	}
	return f.report
}

// Describe lists the figures.
func (f *figures) Describe(list chan<- *prometheus.Desc) {
	list <- figuresMade
	for _, desc := range figureGauges {
		list <- desc
	}
}

// Collect shows the last finished report. What it does not know has no series.
func (f *figures) Collect(list chan<- prometheus.Metric) {
	r := f.last()
	if r == nil {
		return
	}
	list <- gauge(figuresMade, seconds(r.Now))
	for _, s := range r.Samples {
		value := s.Value.InexactFloat64()
		if s.Since.Known() {
			value = time.Since(s.Since.Time()).Seconds()
		}
		list <- gauge(figureGauges[s.Gauge], value, s.Labels...)
	}
}

func gauge(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	metric, err := prometheus.NewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	if err != nil { // a name of the exchange that no label can hold
		return prometheus.NewInvalidMetric(desc, err)
	}
	return metric
}
