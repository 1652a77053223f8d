package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/backups"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/demo"
	"rebatedesk/cmd/webapp/internal/health"
	"rebatedesk/cmd/webapp/internal/listen"
	"rebatedesk/cmd/webapp/internal/version"
	"rebatedesk/collector"
	"rebatedesk/delivery"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail"
	"rebatedesk/market"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/trading"
	"rebatedesk/web"
	"rebatedesk/web/signin"
)

// stopWithin limits how long accepted requests may take at shutdown.
const stopWithin = 8 * time.Second

// heapAim is the soft limit of Go's memory, in bytes, above which garbage is collected more
// eagerly. SQLite's memory and thread stacks are additional.
const heapAim = 192 << 20

// garbage is the share of Go's live memory, in percent, that may be garbage. Go's own 100
// would let a server that many people read grow by a fifth.
const garbage = 50

// serveCommand runs the web server, scheduled collection and scheduled mail in one
// process.
type serveCommand struct {
	config.ServerFlags `embed:"" group:"settings"`
	listen.Flags       `embed:""`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, p *program) error {
	cfg, log, err := p.configure(config.NeedAll | config.MayBeStored)
	if err != nil {
		return err
	}
	cfg.Insecure = c.Insecure
	if err := listen.Allowed(cfg); err != nil {
		return err
	}
	return database.Use(ctx, cfg, accounts.OpenForPages, func(st *store.Store) error { return p.serve(ctx, cfg, st, log, false) })
}

// serve runs collection, mail and pages on an open store until ctx ends.
func (p *program) serve(ctx context.Context, cfg config.Config, st *store.Store, log *slog.Logger, isDemo bool) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapAim)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	leave, err := st.Attend(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := database.WarnWithoutAnchor(ctx, cfg, st, log); err != nil {
		return err
	}
	key, err := database.EnsureKey(ctx, cfg, st, p.stderr)
	if err != nil {
		return err
	}
	service := newAccess(cfg, st, key, log, isDemo)
	var logins demo.Logins
	if isDemo {
		if logins, err = demo.Enter(ctx, st, service); err != nil {
			return err
		}
	}
	if err := listen.NeedAdmin(ctx, cfg, service.Users); err != nil {
		return err
	}
	registry, err := accounts.Open(ctx, cfg, st, key.Box(), newBudget(cfg, st), log)
	if err != nil {
		return err
	}
	// Before anything can be sent: orders that a previous process left in flight now become
	// unknown.
	desk, err := openTrading(ctx, cfg, st, registry, log)
	if err != nil {
		return err
	}
	listener, err := listen.Open(cfg, log)
	if err != nil {
		return err
	}
	col := newCollector(cfg, st, registry, log)
	mails := newMail(withLinks(cfg, listener, isDemo), st, key, log)
	deliveries := newDeliveries(cfg, st, log)
	feed := newFeed(cfg, console{registry, st}, log)
	server := newWeb(cfg, st, service, keyring.New(st, key.Box()), col, registry, desk, mails, deliveries, feed, log, logins)
	counts, err := openMetrics(cfg, st, registry, server)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	collecting, stopCollecting := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { col.Serve(collecting) })
	work.Go(func() { service.Run(collecting) })
	work.Go(func() { counts.serve(collecting, log) })
	work.Go(func() { desk.Run(collecting) })
	work.Go(func() { feed.Run(collecting) })
	work.Go(func() { registry.Watch(collecting, col) })
	work.Go(func() { mails.Run(collecting) })
	work.Go(func() { deliveries.Run(collecting) })
	work.Go(func() { server.Whole.KeepReady(collecting, log) })
	if isDemo {
		work.Go(func() { demo.ServeMail(collecting, cfg, st, mails, log) })
		work.Go(func() { demo.ServeFiles(collecting, cfg, st, deliveries, log) })
	}
	work.Go(func() { database.ServeAnchor(collecting, cfg, st, log) })
	work.Go(func() { backups.Serve(collecting, cfg, st, log) })
	served := make(chan error, 1)
	work.Go(func() { served <- server.Serve(listener) })
	if err := p.announce(ctx, listen.URLOf(cfg, listener), service, logins.Admin); err != nil {
		log.Warn("it could not be printed how to come in", "error", err)
	}
	select {
	case <-ctx.Done():
	case err = <-served:
	}
	stopCollecting()
	end, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	err = errors.Join(err, server.Shutdown(end), desk.Flush(end))
	work.Wait()
	return err
}

// announce prints the address of the pages and how to sign in: as a user of the
// demo, or with the token that creates the first user.
func (p *program) announce(ctx context.Context, url string, service *access.Service, login *signin.Login) error {
	lines := "url: " + url + "\n"
	if login != nil {
		lines += "user: " + login.User + "\npassword: " + login.Password + "\n"
	}
	nobody, err := service.NeedsSetup(ctx)
	if nobody {
		lines += "setup: " + url + "setup  token: " + service.SetupToken() + "\n"
	}
	_, failed := io.WriteString(p.stdout, lines)
	return errors.Join(err, failed)
}

func newWeb(cfg config.Config, st *store.Store, who *access.Service, signer *keyring.Signer, col *collector.Collector, a *accounts.Registry, desk *trading.Desk, mails *mail.Service, deliveries *delivery.Service, feed *market.Feed, log *slog.Logger, logins demo.Logins) *web.Server {
	info, _ := debug.ReadBuildInfo()
	service := newReports(cfg, st)
	if cfg.ReportCache > 0 {
		service.LimitCache(cfg.ReportCache)
	}
	return web.New(web.Options{
		Reports:    service,
		Access:     who,
		Desk:       service,
		Signer:     signer,
		Console:    console{a, st},
		Mail:       mails,
		Deliveries: deliveries,
		Trading:    desk,
		Market:     feed,
		Progress:   col.Progress,
		Collect:    col.Ask,
		Version:    version.Of(info), PublicURL: cfg.PublicURL, Hosts: listen.Hosts(cfg), Zone: cfg.Timezone, Log: log, Demo: logins.Admin != nil, Guide: true, DemoLogin: logins.Admin, DemoTrader: logins.Trader,
		TrustedProxies: cfg.TrustedProxies, Checks: health.New(cfg, st, a.Names).Checks,
		Audit: service, AuditAnchors: func() []audit.Anchor { return database.Anchors(cfg) }, Accounts: accountPages{a, col, st, log}, Backups: backups.ForPages(cfg, st, log),
	})
}

// withLinks sets the address of links in mails. In a demo it is the listener's address,
// unless PUBLIC_URL is set.
func withLinks(cfg config.Config, listener net.Listener, isDemo bool) config.Config {
	if isDemo && cfg.PublicURL == "" {
		cfg.PublicURL = strings.TrimSuffix(listen.URLOf(cfg, listener), "/")
	}
	return cfg
}
