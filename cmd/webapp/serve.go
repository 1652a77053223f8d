package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"rebatedesk/collector"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// stopWithin is how long accepted requests may take to finish at the end.
const stopWithin = 8 * time.Second

// serveCommand is the web server and the scheduled collection in one process.
type serveCommand struct {
	storeFlags    `embed:"" group:"settings"`
	webFlags      `embed:"" group:"settings"`
	exchangeFlags `embed:"" group:"settings"`
	scheduleFlags `embed:"" group:"settings"`
	accountFlag   `embed:"" group:"settings"`
}

// Run serves until ctx ends.
func (*serveCommand) Run(ctx context.Context, p *program) (err error) {
	cfg, log, err := p.configure(NeedStore | NeedWeb | NeedExchange | NeedSchedule)
	if err != nil {
		return err
	}
	st, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return p.serve(ctx, cfg, st, log, false)
}

// serve runs collection and pages on an open store until ctx ends.
func (p *program) serve(ctx context.Context, cfg Config, st *store.Store, log *slog.Logger, demo bool) error {
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; set REBATEDESK_LISTEN to a free address", cfg.Listen, err)
	}
	col, err := newCollector(cfg, st, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := newWeb(cfg, st, col, log, demo)
	collecting, stopCollecting := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { col.Serve(collecting) })
	served := make(chan error, 1)
	work.Go(func() { served <- server.Serve(listener) })
	if _, err := fmt.Fprintf(p.stdout, "url: http://%s/\n", listener.Addr()); err != nil {
		log.Warn("the address could not be printed", "error", err)
	}
	select {
	case <-ctx.Done():
	case err = <-served:
	}
	stopCollecting()
	end, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	err = errors.Join(err, server.Shutdown(end))
	work.Wait()
	return err
}

func newWeb(cfg Config, st *store.Store, col *collector.Collector, log *slog.Logger, demo bool) *web.Server {
	info, _ := debug.ReadBuildInfo()
	service := reports.New(st, time.Now)
	return web.New(web.Options{
		Reports:  web.Ask(service),
		Desk:     service,
		Progress: col.Progress,
		Collect: func(context.Context) error {
			col.Wake()
			return nil
		},
		Version: version(info), PublicURL: cfg.PublicURL, Zone: cfg.Timezone, Log: log, Demo: demo, Ready: st.Ping,
	})
}
