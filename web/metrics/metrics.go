// Package metrics counts the events of the process and shows them to Prometheus on a
// separate listener. Packages web and store define the figures; this package only gives
// them names and labels.
//
// No label is a person, an address or any other value that a client can choose: a
// series lives as long as the process, and everybody who may read metrics would read
// it. Figures of reports are shown only if the options say so. Their series are those of the
// last report, so that of an account that is gone ends.
package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"rebatedesk/exchange"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/findings"
	"rebatedesk/store"
	"rebatedesk/web/handler"
)

const namespace = "rebatedesk"

// Options are the sources of the figures.
type Options struct {
	Version string
	Store   *store.Store                // asked at each scrape
	Budget  func() exchange.BudgetState // of the process towards the exchange
	Reports *reports.Service            // whose cache is counted
	Figures bool                        // commission, coverage, payments and findings are shown
}

// Metrics holds all counters. Create it with [New].
type Metrics struct {
	registry *prometheus.Registry
	figures  *figures // nil: none are shown

	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	exports  *prometheus.CounterVec
	rows     *prometheus.CounterVec
	signIns  *prometheus.CounterVec
}

// buckets are in seconds: pages should take milliseconds, and are cancelled after fifty
// seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .15, .25, .5, 1, 2.5, 5, 10, 25, 50}

// outcomes are all possible outcomes of an attempt to sign in. Each has a series from
// the start, because an alert on the first wrong password needs a zero before it.
var outcomes = []handler.SignInOutcome{
	handler.SignInDone, handler.SignInCode, handler.SignInWrong, handler.SignInThrottled, handler.SignInBusy, handler.SignInFailed,
}

// New returns the metrics of a process.
func New(o Options) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("http_requests_total", "Answered requests by the pattern of their route; none = an address that leads nowhere.", "route", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "http_request_duration_seconds", Buckets: buckets,
			Help: "Time until the answer to a request began.",
		}, []string{"route"}),
		exports: counters("exports_total", "Files written to their end.", "kind", "format"),
		rows:    counters("export_rows_total", "Rows of files written to their end.", "kind", "format"),
		signIns: counters("sign_ins_total", "Attempts to sign in by what became of them.", "outcome"),
	}
	for _, outcome := range outcomes {
		m.signIns.WithLabelValues(string(outcome))
	}
	version := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1; the label says which program runs.",
		ConstLabels: prometheus.Labels{"version": o.Version},
	})
	version.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.exports, m.rows, m.signIns, version,
		newDatabase(o.Store), newExchange(o.Budget), reportCache{o.Reports.CacheUsage},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if o.Figures {
		m.figures = newFigures(o.Store, func(ctx context.Context) (findings.Measures, error) { return reports.Gauges(ctx, o.Reports) })
		m.registry.MustRegister(m.figures)
	}
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

// Watch returns the observer through which the web server reports events.
func (m *Metrics) Watch() handler.Observer {
	return handler.Observer{Request: m.request, Export: m.export, SignIn: m.signIn}
}

// CountPanics adds the number of panics caught since the start, which the server
// counts.
func (m *Metrics) CountPanics(caught func() int64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Namespace: namespace, Name: "panics_total", Help: "Panics that were caught.",
	}, func() float64 { return float64(caught()) }))
}

func (m *Metrics) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, statusText(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *Metrics) export(kind string, format export.Format, rows int64) {
	m.exports.WithLabelValues(kind, string(format)).Inc()
	m.rows.WithLabelValues(kind, string(format)).Add(float64(rows))
}

func (m *Metrics) signIn(outcome handler.SignInOutcome) {
	m.signIns.WithLabelValues(string(outcome)).Inc()
}
