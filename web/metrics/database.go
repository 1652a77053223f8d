package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// scrapeTimeout is the time limit of the database for one scrape.
const scrapeTimeout = 5 * time.Second

// database reads its figures from the store at each scrape. They outlast a restart: the
// log of runs is kept for good.
type database struct {
	store *store.Store
}

func newDatabase(st *store.Store) *database { return &database{store: st} }

var (
	size   = description("database_size_bytes", "Size of the database.")
	wal    = description("database_wal_bytes", "Size of its write-ahead log, if it is a file.")
	waits  = description("database_writer_waits_total", "Writes that waited for another write of this process.")
	waited = description("database_writer_wait_seconds_total", "How long writes waited for others of this process.")

	succeeded = description("collection_last_success_timestamp_seconds", "When the last collection that came to its end finished; no series where there was none yet.", "account")
	runs      = description("collection_runs_total", "Collections that are over: complete, partial (some windows could not be read) or failed (ended early).", "account", "outcome")
	requests  = description("collection_requests_total", "Requests sent to the exchange by collections that are over.", "account")
	weight    = description("collection_weight_total", "Request weight used by collections that are over.", "account")
	read      = description("collection_records_total", "Records read by collections that are over.", "account")
	opened    = description("collection_opened_total", "Records that were new.", "account")
	closed    = description("collection_closed_total", "Records that the exchange did not return any more.", "account")
)

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// Describe lists the figures.
func (d *database) Describe(list chan<- *prometheus.Desc) {
	for _, desc := range append([]*prometheus.Desc{size, wal, waits, waited, succeeded, runs, requests, weight, read, opened, closed}, engineFigures...) {
		list <- desc
	}
}

// Collect reads the figures. A figure that cannot be read is missing from the answer,
// never 0.
func (d *database) Collect(figures chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	if err := errors.Join(d.vitals(ctx, figures), d.engine(ctx, figures), d.collections(ctx, figures), d.leases(ctx, figures)); err != nil {
		figures <- prometheus.NewInvalidMetric(size, err)
	}
}

func (d *database) vitals(ctx context.Context, figures chan<- prometheus.Metric) error {
	v, err := upkeep.ReadVitals(ctx, d.store)
	if err != nil {
		return err
	}
	figures <- prometheus.MustNewConstMetric(size, prometheus.GaugeValue, float64(v.Size))
	figures <- prometheus.MustNewConstMetric(schema, prometheus.GaugeValue, float64(v.Schema))
	if !d.store.Shared() {
		figures <- prometheus.MustNewConstMetric(wal, prometheus.GaugeValue, float64(v.WAL))
	}
	figures <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(v.Waits))
	figures <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, v.Waited.Seconds())
	return nil
}

func (d *database) collections(ctx context.Context, figures chan<- prometheus.Metric) error {
	reader, err := d.store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	last, err := upkeep.LastSuccesses(ctx, reader)
	if err != nil {
		return err
	}
	totals, err := upkeep.TotalRuns(ctx, reader)
	if err != nil {
		return err
	}
	for account, at := range last {
		if at.Known() {
			figures <- prometheus.MustNewConstMetric(succeeded, prometheus.GaugeValue, seconds(at), string(account))
		}
	}
	for _, t := range totals {
		tell(t, figures)
	}
	return nil
}

// tell sends the figures of one account.
func tell(t upkeep.RunTotals, figures chan<- prometheus.Metric) {
	count := func(desc *prometheus.Desc, n int64, labels ...string) {
		figures <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), append([]string{string(t.Account)}, labels...)...)
	}
	count(runs, t.Complete, "complete")
	count(runs, t.Partial, "partial")
	count(runs, t.Failed, "failed")
	count(requests, t.Requests)
	count(weight, t.Weight)
	count(read, t.Records)
	count(opened, t.Opened)
	count(closed, t.Closed)
}

func seconds(at affiliate.Millis) float64 { return float64(at) / 1000 }
