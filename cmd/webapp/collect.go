package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/terminal"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/secret"
	"rebatedesk/store"
)

// collectCommand runs the collector once.
type collectCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.ExchangeFlags `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`

	Since   string   `placeholder:"DATE" help:"Read everything from this UTC day on again, whatever is collected."`
	Account string   `placeholder:"NAME" help:"Only this account."`
	Stream  []string `placeholder:"STREAM" enum:"commissions,invitees,sub-affiliates,bills,spot-bills,funding-bills,transfers" help:"Only this stream: commissions, invitees, sub-affiliates, bills (spot-bills and funding-bills) or transfers. May be repeated."`
	JSON    bool     `name:"json" help:"Print the outcome as one JSON object."`
}

// Run collects what is due and prints the outcome.
func (c *collectCommand) Run(ctx context.Context, p *program) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	open := func(ctx context.Context, cfg config.Config) (*store.Store, error) {
		if len(cfg.Accounts) > 0 && !c.collects(accounts.NamesOf(cfg.Accounts)) {
			if isNew, err := database.IsNew(ctx, cfg); err != nil || isNew {
				if err == nil {
					err = unknownAccount(c.Account) // and no database is created
				}
				return nil, err
			}
		}
		return accounts.OpenForRun(ctx, cfg)
	}
	const need = config.NeedStore | config.NeedExchange | config.NeedMasterKey | config.MayBeStored
	return p.withStore(ctx, need, open, func(o opened) error { return c.collect(ctx, p, o, request) })
}

// collects reports whether any of the accounts is selected.
func (c *collectCommand) collects(names []affiliate.Account) bool {
	return slices.ContainsFunc(names, func(name affiliate.Account) bool { return c.Account == "" || c.Account == string(name) })
}

func (c *collectCommand) collect(ctx context.Context, p *program, o opened, request collector.RunRequest) error {
	a, err := openAccounts(ctx, o)
	if err != nil {
		return err
	}
	if !c.collects(a.Names()) {
		return unknownAccount(c.Account)
	}
	col := newCollector(o.cfg, o.store, a, o.log)
	stop := terminal.ShowProgress(p.stderr, col.Progress)
	report, runErr := col.Collect(ctx, request)
	stop()
	if err := c.print(p, report); err != nil {
		return err
	}
	return outcome(report, runErr)
}

func unknownAccount(name string) error {
	if name == "" {
		return errors.New("none of the stored accounts can be used: webapp account list tells why")
	}
	return usage("--account %q is not among the accounts that can be collected for", name)
}

// request checks the flags.
func (c *collectCommand) request() (collector.RunRequest, error) {
	request := collector.RunRequest{Cause: "command", Account: affiliate.Account(c.Account)}
	if err := checkAccount("--account", c.Account); err != nil {
		return request, err
	}
	for _, kind := range c.Stream {
		if kind == "bills" {
			request.Kinds = append(request.Kinds, affiliate.BillKinds()...)
			continue
		}
		request.Kinds = append(request.Kinds, affiliate.StreamKind(kind))
	}
	if c.Since != "" {
		day, err := affiliate.ParseDay(c.Since)
		if err != nil || day < affiliate.NewDay(2010, 1, 1) {
			return request, usage("--since %q is not a day from 2010 on; give one such as 2026-09-01", c.Since)
		}
		request.Since = day
	}
	return request, nil
}

func (c *collectCommand) print(p *program, r collector.RunReport) error {
	if c.JSON {
		return json.NewEncoder(p.stdout).Encode(r)
	}
	state := "complete"
	if !r.Complete {
		state = "incomplete"
	}
	_, err := fmt.Fprintf(p.stdout, "%s: %d records read in %d slices, %d new, %d closed; %d requests, weight %d\n",
		state, r.Records, r.Slices, r.Opened, r.Closed, r.Requests, r.Weight)
	return err
}

// openAccounts opens the accounts of the settings and of the database. Without
// stored accounts nothing is sealed, and no key is needed.
func openAccounts(ctx context.Context, o opened) (*accounts.Registry, error) {
	stored, err := accounts.Stored(ctx, o.store)
	if err != nil {
		return nil, err
	}
	var box *secret.Box
	if len(stored) > 0 {
		key, err := database.EnsureKey(ctx, o.cfg, o.store, o.stderr)
		if err != nil {
			return nil, err
		}
		box = key.Box()
	}
	return accounts.Open(ctx, o.cfg, o.store, box, newBudget(o.cfg, o.store), o.log)
}

// outcome turns a run into the result of the command. If the exchange failed
// midway, the collection is incomplete; a wrong key, a missing permission or an
// error of our own fails the command.
func outcome(r collector.RunReport, err error) error {
	if err != nil {
		switch exchange.ClassOf(err) {
		case exchange.ClassUpstream, exchange.ClassTransport, exchange.ClassRateLimit, exchange.ClassMalformed, exchange.ClassValidation:
			if r.Slices == 0 {
				return err
			}
		default:
			return err
		}
	}
	if len(r.Incomplete) == 0 {
		return err
	}
	var causes []string
	for _, i := range r.Incomplete {
		stream := affiliate.Stream{Kind: i.Stream, Product: i.Product}
		causes = append(causes, fmt.Sprintf("incomplete: %s %s %s to %s: %s", i.Account, stream, i.From, i.To, i.Error))
	}
	return &incompleteError{causes}
}

// newCollector creates the collector of the accounts.
func newCollector(cfg config.Config, st *store.Store, a *accounts.Registry, log *slog.Logger) *collector.Collector {
	options := collector.Options{Store: st, Now: cfg.Now, History: cfg.History, Every: cfg.CollectEvery, Log: log, KeepAnswers: cfg.KeepAnswers}
	options.Accounts, options.Market = a.Collected()
	return collector.New(options)
}
