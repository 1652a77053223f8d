package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/version"
	"rebatedesk/store"
	"rebatedesk/web"
	"rebatedesk/web/metrics"
)

// metricsServer serves the metrics. A nil one serves nothing.
type metricsServer struct {
	metrics  *metrics.Metrics
	listener net.Listener
}

// openMetrics listens on the address of the metrics, if one is set, and connects a
// server that is not serving yet.
func openMetrics(cfg config.Config, st *store.Store, a *accounts.Registry, server *web.Server) (*metricsServer, error) {
	if cfg.MetricsListen == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", cfg.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; set REBATEDESK_METRICS_LISTEN to a free address, or to off", cfg.MetricsListen, err)
	}
	info, _ := debug.ReadBuildInfo()
	m := metrics.New(metrics.Options{Version: version.Of(info), Store: st, Budget: a.Budget.State, Reports: server.Whole, Figures: cfg.MetricsFigures})
	m.CountPanics(server.Panics)
	server.Watch = m.Watch()
	return &metricsServer{m, listener}, nil
}

// serve answers until ctx ends. If it fails, the pages continue.
func (c *metricsServer) serve(ctx context.Context, log *slog.Logger) {
	if c == nil {
		return
	}
	if err := c.metrics.Serve(ctx, c.listener, log); err != nil {
		log.Error("metrics are shown no more", "error", err)
	}
}
