package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/seal"
	"rebatedesk/store"
)

// accountLook is how often a server looks for accounts that another process
// has changed: webapp account beside webapp serve.
const accountLook = 20 * time.Second

// accounts are the affiliate accounts of the settings and of the database.
// Where both have one of the same name, that of the settings counts. It is safe
// for concurrent use.
type accounts struct {
	settings []AccountConfig
	private  bool // addresses may be of private networks
	store    *store.Store
	box      *seal.Box // nil: nothing stored can be opened
	budget   *exchange.Budget
	now      func() time.Time // nil is time.Now
	log      *slog.Logger

	mu     sync.Mutex // guards what follows
	known  []store.ExchangeAccount
	inUse  []usedAccount
	market *exchange.Client
}

// usedAccount is an account that is collected for.
type usedAccount struct {
	config AccountConfig
	client *exchange.Client
	sender *exchange.Client // has the key that may trade; nil: there is none
}

// newAccounts has read none of the stored accounts yet.
func newAccounts(cfg Config, st *store.Store, box *seal.Box, budget *exchange.Budget, log *slog.Logger) *accounts {
	return &accounts{settings: cfg.Accounts, private: cfg.AllowPrivate, store: st, box: box, budget: budget, now: cfg.Now, log: log}
}

// openAccounts reads the accounts for the first time.
func openAccounts(ctx context.Context, cfg Config, st *store.Store, box *seal.Box, budget *exchange.Budget, log *slog.Logger) (*accounts, error) {
	a := newAccounts(cfg, st, box, budget, log)
	_, err := a.refresh(ctx)
	return a, err
}

// refresh reads the stored accounts again and reports whether anything about
// them has changed. A stored account that cannot be used is logged and left
// out: the others go on.
func (a *accounts) refresh(ctx context.Context) (changed bool, err error) {
	stored, err := storedAccounts(ctx, a.store)
	if err != nil {
		return false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inUse != nil && reflect.DeepEqual(stored, a.known) {
		return false, nil
	}
	configs := slices.Clone(a.settings)
	for _, row := range stored {
		if row.Disabled.Known() || a.inSettings(row.Name) || a.box == nil {
			continue
		}
		config, err := openAccount(a.box, row, a.private)
		if err != nil {
			a.log.Error("stored account left out", "account", row.Name, "error", err)
			continue
		}
		configs = append(configs, config)
	}
	if err := a.use(configs); err != nil {
		return false, err
	}
	a.known = stored
	return true, nil
}

// use makes the clients of accounts. Those that have not changed keep theirs,
// with the clock and the count of requests that it has.
func (a *accounts) use(configs []AccountConfig) error {
	next := make([]usedAccount, 0, len(configs))
	for _, config := range configs {
		at := slices.IndexFunc(a.inUse, func(u usedAccount) bool { return u.config == config })
		if at >= 0 {
			next = append(next, a.inUse[at])
			continue
		}
		used, err := a.open(config)
		if err != nil {
			return err
		}
		next = append(next, used)
	}
	if len(next) == 0 {
		a.market = nil
	} else if len(a.inUse) == 0 || a.inUse[0].config != next[0].config {
		// Prices are the same for every account. A client of their own keeps
		// them out of what the runs of an account cost.
		market, err := newClient(next[0].config, a.budget, a.now, a.log)
		if err != nil {
			return err
		}
		a.market = market
	}
	a.inUse = next
	return nil
}

// open makes the clients of an account.
func (a *accounts) open(config AccountConfig) (used usedAccount, err error) {
	used.config = config
	if used.client, err = newClient(config, a.budget, a.now, a.log); err != nil || !config.TradingKeys.Given() {
		return used, err
	}
	config.Keys = config.TradingKeys
	used.sender, err = newClient(config, a.budget, a.now, a.log)
	return used, err
}

func namesOf(configs []AccountConfig) (names []affiliate.Account) {
	for _, c := range configs {
		names = append(names, c.Name)
	}
	return names
}

// inSettings reports whether the settings have an account of that name.
func (a *accounts) inSettings(name affiliate.Account) bool {
	return among(a.settings, name)
}

// among reports whether one of the accounts has that name, whatever its case.
func among(configs []AccountConfig, name affiliate.Account) bool {
	return slices.ContainsFunc(configs, func(c AccountConfig) bool { return strings.EqualFold(string(c.Name), string(name)) })
}

// collected are the accounts as the collector takes them, and who is asked for
// prices.
func (a *accounts) collected() (list []collector.Account, market *exchange.Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		list = append(list, collector.Account{Name: u.config.Name, Client: u.client})
	}
	return list, a.market
}

// Names are the accounts that are collected for at present.
func (a *accounts) Names() (names []affiliate.Account) {
	list, _ := a.collected()
	for _, account := range list {
		names = append(names, account.Name)
	}
	return names
}

// watch brings changes of other processes to the collector until ctx ends.
func (a *accounts) watch(ctx context.Context, col *collector.Collector) {
	ticker := time.NewTicker(accountLook)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := a.apply(ctx, col); err != nil && ctx.Err() == nil {
				a.log.Error("reading the stored accounts", "error", err)
			}
		}
	}
}

// apply gives the collector the accounts as they are now, and has it begin
// with them where they have changed.
func (a *accounts) apply(ctx context.Context, col *collector.Collector) error {
	changed, err := a.refresh(ctx)
	if err != nil || !changed {
		return err
	}
	col.Use(a.collected())
	col.Wake()
	return nil
}

func storedAccounts(ctx context.Context, st *store.Store) ([]store.ExchangeAccount, error) {
	r, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.ExchangeAccounts(ctx)
}

// openWithAccounts opens the database for what collects. Where there is no
// account to collect for, that is a fault of the settings, and no database is
// made.
func openWithAccounts(ctx context.Context, cfg Config, forPages bool) (*store.Store, error) {
	if len(cfg.Accounts) == 0 && isNew(cfg) {
		return nil, cfg.NoAccount
	}
	st, err := openStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := noAccounts(ctx, cfg, st, forPages); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// noAccounts is what is wrong where there is no account to collect for: what
// the settings lack, unless it need not be there. Somebody who can sign in can
// add an account in the pages.
func noAccounts(ctx context.Context, cfg Config, st *store.Store, forPages bool) error {
	if len(cfg.Accounts) > 0 {
		return nil
	}
	stored, err := storedAccounts(ctx, st)
	if err != nil || len(stored) > 0 {
		return err
	}
	if forPages {
		if users, err := st.HasUsers(ctx); err != nil || users {
			return err
		}
	}
	return cfg.NoAccount
}

// stored is one stored account; a *store.RuleError where it is not there.
func (a *accounts) stored(ctx context.Context, name affiliate.Account) (store.ExchangeAccount, error) {
	list, err := storedAccounts(ctx, a.store)
	if err != nil {
		return store.ExchangeAccount{}, err
	}
	for _, row := range list {
		if strings.EqualFold(string(row.Name), string(name)) {
			return row, nil
		}
	}
	return store.ExchangeAccount{}, &store.RuleError{Problem: fmt.Sprintf("There is no stored account called “%s”.", name), Missing: true}
}
