package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	databaseInfo = description("database_info", "Always 1; the labels say which engine keeps the database, and which node asks.", "engine", "version", "citus", "node")
	schema       = description("database_schema_version", "Version of the schema.")
	clockAhead   = description("database_clock_ahead_seconds", "How far the clock of the database server is ahead of the one of this node.")
	standbyBytes = description("database_standby_behind_bytes", "How much a standby has not applied yet.", "standby")
	standbyLag   = description("database_standby_behind_seconds", "How long ago the server wrote what a standby applied last.", "standby")
	workerUp     = description("database_worker_up", "Whether the coordinator of Citus reaches a worker.", "worker")
	leaseHolder  = description("lease_holder", "1 for the node that does the work of a lease.", "lease", "node")
	leaseAge     = description("lease_age_seconds", "How long the holder of a lease has had it.", "lease", "node")
	leaseNumber  = description("lease_number", "Grows with each change of the holder, on a server.", "lease")
	leaseLeft    = description("lease_ends_seconds", "In how many seconds a lease on a server ends unless it is renewed.", "lease")

	engineFigures = []*prometheus.Desc{databaseInfo, schema, clockAhead, standbyBytes, standbyLag, workerUp, leaseHolder, leaseAge, leaseNumber, leaseLeft}
)

// engine tells about the engine and the servers around it.
func (d *database) engine(ctx context.Context, figures chan<- prometheus.Metric) error {
	state, err := d.store.EngineState(ctx)
	if err != nil {
		return err
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		figures <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	gauge(databaseInfo, 1, state.Engine, state.Version, state.Citus, d.store.Node())
	if d.store.Shared() {
		gauge(clockAhead, state.ClockAhead.Seconds())
	}
	for _, s := range state.Standbys {
		if s.Bytes != nil {
			gauge(standbyBytes, float64(*s.Bytes), s.Name)
		}
		if s.Lag != nil {
			gauge(standbyLag, s.Lag.Seconds(), s.Name)
		}
	}
	for _, w := range state.Workers {
		up := 0.0
		if w.Reachable {
			up = 1
		}
		gauge(workerUp, up, w.Name)
	}
	return nil
}

// leases reports which node holds each lease.
func (d *database) leases(ctx context.Context, figures chan<- prometheus.Metric) error {
	holders, err := d.store.Holders(ctx)
	if err != nil {
		return err
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		figures <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, h := range holders {
		gauge(leaseHolder, 1, string(h.Lease), h.Node)
		gauge(leaseAge, h.Age.Seconds(), string(h.Lease), h.Node)
		if h.Number > 0 {
			gauge(leaseNumber, float64(h.Number), string(h.Lease))
			gauge(leaseLeft, h.Left.Seconds(), string(h.Lease))
		}
	}
	return nil
}
