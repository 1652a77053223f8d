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
	"rebatedesk/collector"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// stopWithin is how long accepted requests may take to finish at the end.
const stopWithin = 8 * time.Second

// heapAim is how much memory of Go a server uses before it collects garbage
// more eagerly, in bytes. What SQLite allocates, and the stacks of other threads,
// come on top. It is no limit: a server that needs more gets it.
const heapAim = 192 << 20

// serveCommand is the web server, the scheduled collection and the scheduled mail
// in one process.
type serveCommand struct {
	storeFlags    `embed:"" group:"settings"`
	webFlags      `embed:"" group:"settings"`
	exchangeFlags `embed:"" group:"settings"`
	scheduleFlags `embed:"" group:"settings"`
	mailFlags     `embed:"" group:"settings"`
	accountFlag   `embed:"" group:"settings"`
	masterKeyFlag `embed:"" group:"settings"`
	tradingFlags  `embed:"" group:"settings"`
	listenFlags   `embed:""`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, p *program) (err error) {
	cfg, log, err := p.configure(NeedStore | NeedWeb | NeedExchange | NeedSchedule | NeedMail | NeedMasterKey | NeedTrading | MayBeStored)
	if err != nil {
		return err
	}
	cfg.Insecure = c.Insecure
	if err := mayListen(cfg); err != nil {
		return err
	}
	st, err := openWithAccounts(ctx, cfg, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return p.serve(ctx, cfg, st, log, false)
}

// serve runs collection, mail and pages on an open store until ctx ends.
func (p *program) serve(ctx context.Context, cfg Config, st *store.Store, log *slog.Logger, demo bool) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapAim)
	}
	key, err := masterKey(ctx, cfg, st, p.stderr)
	if err != nil {
		return err
	}
	service := newAccess(cfg, st, key, log, demo)
	var logins demoLogins
	if demo {
		if logins, err = enterDemo(ctx, service); err != nil {
			return err
		}
	}
	if err := needsAdmin(ctx, cfg, service.Users); err != nil {
		return err
	}
	accounts, err := openAccounts(ctx, cfg, st, key.Box(), newBudget(cfg), log)
	if err != nil {
		return err
	}
	// Before anything can be sent: what a former process left on its way is
	// unknown from here on.
	desk, err := openDesk(ctx, cfg, st, accounts, log)
	if err != nil {
		return err
	}
	listener, err := openListener(cfg, log)
	if err != nil {
		return err
	}
	col := newCollector(cfg, st, accounts, log)
	mails := newMail(withLinks(cfg, listener, demo), st, key, log)
	server := newWeb(cfg, st, service, col, accounts, desk, mails, log, logins)
	counts, err := openMetrics(cfg, st, accounts, server)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	collecting, stopCollecting := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { col.Serve(collecting) })
	work.Go(func() { service.Run(collecting) })
	work.Go(func() { counts.serve(collecting, log) })
	work.Go(func() { desk.Run(collecting) })
	work.Go(func() { accounts.watch(collecting, col) })
	work.Go(func() { mails.Run(collecting) })
	if demo {
		work.Go(func() { mailDemo(collecting, cfg, st, mails, log) })
	}
	work.Go(func() { serveBackups(collecting, cfg, st, log) })
	served := make(chan error, 1)
	work.Go(func() { served <- server.Serve(listener) })
	if err := p.announce(ctx, addressOf(cfg, listener), service, logins.admin); err != nil {
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

// announce says where the pages are and how to come in: with the user of the
// demo, or, while there is nobody yet, with the token that makes the first one.
func (p *program) announce(ctx context.Context, url string, service *access.Service, login *web.Login) error {
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

func newWeb(cfg Config, st *store.Store, who *access.Service, col *collector.Collector, a *accounts, desk *trading.Desk, mails *mail.Service, log *slog.Logger, demo demoLogins) *web.Server {
	info, _ := debug.ReadBuildInfo()
	service := reports.New(st, cfg.Now)
	return web.New(web.Options{
		Reports:  web.Ask(service),
		Access:   who,
		Desk:     service,
		Console:  console{a, st},
		Mail:     mails,
		Trading:  desk,
		Orders:   web.ForwardTo(desk),
		Progress: col.Progress,
		Collect: func(context.Context) error {
			col.Wake()
			return nil
		},
		Version: version(info), PublicURL: cfg.PublicURL, Hosts: acceptedHosts(cfg), Zone: cfg.Timezone, Log: log, Demo: demo.admin != nil, DemoLogin: demo.admin, DemoTrader: demo.trader,
		TrustedProxies: cfg.TrustedProxies, Checks: newHealth(cfg, st, a.Names).checks,
		Audit: web.AskAudit(service), Accounts: accountDesk{a, col, st, log}, Backups: newBackupDesk(cfg, st, log),
	})
}

// withLinks are the settings of mail. Links in the mails of a demo lead to where
// it listens, unless something else is said: they are read there.
func withLinks(cfg Config, listener net.Listener, demo bool) Config {
	if demo && cfg.PublicURL == "" {
		cfg.PublicURL = strings.TrimSuffix(addressOf(cfg, listener), "/")
	}
	return cfg
}
