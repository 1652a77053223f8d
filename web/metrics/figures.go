package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/reports/gauges"
	"rebatedesk/store"
)

// inexact ends the help of amounts: Prometheus keeps floats.
const inexact = " About 15 digits are right, since Prometheus keeps floats; the exact amount is on the pages and in the exports."

var (
	figuresMade      = description("figures_timestamp_seconds", "The instant that the figures of commission, coverage, payments and findings are about. No series until they were made once.")
	commission       = description("commission", "Commission of an account in units of a coin: today, yesterday, or this month up to today, in days of TIMEZONE. No series while it is not known."+inexact, "account", "coin", "period")
	commissionDays   = description("commission_missing_days", "Days of the period that should be collected and are not wholly: if there are any, commission may be missing from its sums.", "account", "period")
	coverageDays     = description("coverage_collected_days", "Reporting days of a stream that are collected.", "account", "stream", "product")
	coverageExpected = description("coverage_expected_days", "Reporting days of a stream that are due, without those that the exchange does not give.", "account", "stream", "product")
	coverageAge      = description("coverage_age_seconds", "How long ago the instant was before which everything of a stream is collected. No series if nothing is.", "account", "stream", "product")
	outstanding      = description("outstanding_payments", "What is due and was not paid, in units of a coin. No series while no payout rule is known or bills may not be read."+inexact, "account", "coin")
	findings         = description("findings", "Open findings of the page Attention.", "kind")

	figureFigures = []*prometheus.Desc{figuresMade, commission, commissionDays, coverageDays, coverageExpected, coverageAge, outstanding, findings}
)

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
	make  func(context.Context) (gauges.Report, error)
	ask   chan struct{} // holds one request
	first chan struct{} // closed when there is a report

	mu      sync.Mutex
	report  *gauges.Report
	made    time.Time
	written affiliate.Millis // stamp of the last write before it was made
}

func newFigures(st *store.Store, report func(context.Context) (gauges.Report, error)) *figures {
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
func (f *figures) last() *gauges.Report {
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
	for _, desc := range figureFigures {
		list <- desc
	}
}

// Collect shows the last finished report. What it does not know has no series.
func (f *figures) Collect(list chan<- prometheus.Metric) {
	r := f.last()
	if r == nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metric, err := prometheus.NewConstMetric(desc, prometheus.GaugeValue, value, labels...)
		if err != nil { // a name of the exchange that no label can hold
			metric = prometheus.NewInvalidMetric(desc, err)
		}
		list <- metric
	}
	gauge(figuresMade, seconds(r.Now))
	for _, c := range r.Commission {
		gauge(commission, c.Sum.InexactFloat64(), string(c.Account), string(c.Coin), string(c.Period))
	}
	for _, d := range r.Days {
		gauge(commissionDays, float64(d.Missing), string(d.Account), string(d.Period))
	}
	for _, s := range r.Streams {
		labels := []string{string(s.Account), string(s.Stream.Kind), string(s.Stream.Product)}
		gauge(coverageDays, float64(s.Collected), labels...)
		gauge(coverageExpected, float64(s.Expected), labels...)
		if s.Through.Known() {
			gauge(coverageAge, time.Since(s.Through.Time()).Seconds(), labels...)
		}
	}
	for _, o := range r.Outstanding {
		gauge(outstanding, o.Sum.InexactFloat64(), string(o.Account), string(o.Coin))
	}
	for kind, n := range r.Findings {
		gauge(findings, float64(n), kind)
	}
}
