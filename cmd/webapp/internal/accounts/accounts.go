// Package accounts combines the affiliate accounts of the settings and of the database. It
// knows which accounts are in use, with which clients, and how stored ones change. It also
// seals their keys.
package accounts

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
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/exchange/weex"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/identity"
)

// refreshInterval is the interval at which a server checks for accounts that another
// process changed, such as webapp account running alongside webapp serve.
const refreshInterval = 20 * time.Second

// Registry holds the affiliate accounts of the settings and of the database. If
// both have an account of the same name, the one of the settings is used. It is
// safe for concurrent use.
type Registry struct {
	settings []config.AccountSettings
	reach    safehttp.Reach // of stored accounts
	store    *store.Store
	box      *secret.Box      // nil: stored accounts cannot be opened
	Budget   *exchange.Budget // of the exchange in which the console trades
	rate     int              // weight in ten seconds, of each exchange
	now      func() time.Time // nil means time.Now
	log      *slog.Logger

	mu      sync.Mutex // guards what follows
	known   []identity.ExchangeAccount
	inUse   []usedAccount
	market  exchange.Client
	budgets map[string]*exchange.Budget // of the other exchanges, by their names
}

// usedAccount is an account in use, with its clients.
type usedAccount struct {
	config config.AccountSettings
	client exchange.Client // nil: its records are imported from files
	sender exchange.Client // has the trading key; nil without one
}

// New returns a registry that has not read the stored accounts yet.
func New(cfg config.Config, st *store.Store, box *secret.Box, budget *exchange.Budget, log *slog.Logger) *Registry {
	return &Registry{settings: cfg.Accounts, reach: cfg.Reach, store: st, box: box, Budget: budget, rate: cfg.RateBudget, budgets: map[string]*exchange.Budget{}, now: cfg.Now, log: log}
}

// Open returns a registry that has read the stored accounts.
func Open(ctx context.Context, cfg config.Config, st *store.Store, box *secret.Box, budget *exchange.Budget, log *slog.Logger) (*Registry, error) {
	a := New(cfg, st, box, budget, log)
	_, err := a.Refresh(ctx)
	return a, err
}

// Refresh reads the stored accounts again and reports whether any of them changed.
// An account that cannot be used is logged and skipped.
func (a *Registry) Refresh(ctx context.Context) (changed bool, err error) {
	stored, err := Stored(ctx, a.store)
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
		config, err := OpenAccount(a.box, row, a.reach)
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

// use creates the clients of accounts. An unchanged account keeps its clients, with
// their clock and request counts.
func (a *Registry) use(configs []config.AccountSettings) error {
	next := make([]usedAccount, 0, len(configs))
	for _, config := range configs {
		at := slices.IndexFunc(a.inUse, func(u usedAccount) bool { return u.config == config })
		if at >= 0 {
			next = append(next, a.inUse[at])
			continue
		}
		used, err := a.clients(config)
		if err != nil {
			return err
		}
		next = append(next, used)
	}
	was, now := pricing(a.inUse), pricing(next)
	if now == nil {
		a.market = nil
	} else if was == nil || was.config != now.config {
		// Prices are the same for every account. A separate client keeps them out of the
		// request counts of accounts.
		market, err := NewClient(now.config, a.budgetOf(now.config.Exchange), a.now, a.log)
		if err != nil {
			return err
		}
		a.market = market
	}
	a.inUse = next
	return nil
}

// budgetOf returns the budget of an exchange: what one counts is nothing to the others. Call it with
// the lock held.
func (a *Registry) budgetOf(name string) *exchange.Budget {
	if name == "" || name == known.Default {
		return a.Budget
	}
	if a.budgets[name] == nil {
		a.budgets[name] = exchange.NewBudget(a.rate)
	}
	return a.budgets[name]
}

// BudgetOf returns the budget of an exchange, by its name in settings.
func (a *Registry) BudgetOf(name string) *exchange.Budget {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.budgetOf(name)
}

// pricing returns the first account whose exchange gives prices of coins, nil if there is none.
func pricing(list []usedAccount) *usedAccount {
	for i := range list {
		if _, ok := list[i].client.(exchange.Market); ok {
			return &list[i]
		}
	}
	return nil
}

// clients creates the clients of an account.
func (a *Registry) clients(list config.AccountSettings) (used usedAccount, err error) {
	used.config = list
	if list.Exchange == known.File {
		return used, nil
	}
	if used.client, err = NewClient(list, a.budgetOf(list.Exchange), a.now, a.log); err != nil || !list.TradingKeys.Given() {
		return used, err
	}
	list.Keys = list.TradingKeys
	used.sender, err = NewClient(list, a.budgetOf(list.Exchange), a.now, a.log)
	return used, err
}

func NamesOf(configs []config.AccountSettings) (names []affiliate.Account) {
	for _, c := range configs {
		names = append(names, c.Name)
	}
	return names
}

// inSettings reports whether the settings have an account of that name.
func (a *Registry) inSettings(name affiliate.Account) bool {
	return HasName(a.settings, name)
}

// HasName reports whether configs has an account of that name, ignoring case.
func HasName(configs []config.AccountSettings, name affiliate.Account) bool {
	return slices.ContainsFunc(configs, func(c config.AccountSettings) bool { return strings.EqualFold(string(c.Name), string(name)) })
}

// Collected returns the accounts for the collector, and the client that asks for
// prices.
func (a *Registry) Collected() (list []collector.Target, market exchange.Market) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if u.client != nil {
			list = append(list, collector.Target{Name: u.config.Name, Source: u.client})
		}
	}
	if prices, ok := a.market.(exchange.Market); ok {
		market = prices
	}
	return list, market
}

// Console returns the reading client of an account in use whose exchange the console knows.
func (a *Registry) Console(name affiliate.Account) (*weex.Client, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if u.config.Name == name {
			client, ok := u.client.(*weex.Client)
			return client, ok
		}
	}
	return nil, false
}

// ConsoleNames returns the names of the accounts in use whose exchanges the console knows.
func (a *Registry) ConsoleNames() (names []affiliate.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if _, ok := u.client.(*weex.Client); ok {
			names = append(names, u.config.Name)
		}
	}
	return names
}

// Names returns the names of the accounts in use.
func (a *Registry) Names() (names []affiliate.Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		names = append(names, u.config.Name)
	}
	return names
}

// Watch passes changes made by other processes to the collector until ctx ends.
func (a *Registry) Watch(ctx context.Context, col *collector.Collector) {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := a.Apply(ctx, col); err != nil && ctx.Err() == nil {
				a.log.Error("reading the stored accounts", "error", err)
			}
		}
	}
}

// Apply passes changed accounts to the collector and wakes it. It does nothing if
// no account changed.
func (a *Registry) Apply(ctx context.Context, col *collector.Collector) error {
	changed, err := a.Refresh(ctx)
	if err != nil || !changed {
		return err
	}
	col.Use(a.Collected())
	col.Wake()
	return nil
}

// Stored returns the accounts of the database, in use or not.
func Stored(ctx context.Context, st *store.Store) ([]identity.ExchangeAccount, error) {
	r, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.ExchangeAccounts(ctx, r)
}

// OpenForRun opens the database for a collection. If there is no account to collect for, it
// returns the faults of the settings and creates no database.
func OpenForRun(ctx context.Context, cfg config.Config) (*store.Store, error) {
	return openStore(ctx, cfg, false)
}

// OpenForPages is OpenForRun for a server, which needs no account: the first setup, or later an
// administrator, adds one.
func OpenForPages(ctx context.Context, cfg config.Config) (*store.Store, error) {
	return openStore(ctx, cfg, true)
}

func openStore(ctx context.Context, cfg config.Config, forPages bool) (*store.Store, error) {
	if len(cfg.Accounts) == 0 {
		isNew, err := database.IsNew(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if isNew && !forPages {
			return nil, cfg.NoAccount
		}
	}
	st, err := database.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if forPages {
		return st, nil
	}
	if err := noAccounts(ctx, cfg, st); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// noAccounts returns what the settings lack if there is no account to collect for,
// and nil if none is needed.
func noAccounts(ctx context.Context, cfg config.Config, st *store.Store) error {
	if len(cfg.Accounts) > 0 {
		return nil
	}
	stored, err := Stored(ctx, st)
	if err != nil || len(stored) > 0 {
		return err
	}
	return cfg.NoAccount
}

// stored returns a stored account, or a *store.RuleError if no account has that name.
func (a *Registry) stored(ctx context.Context, name affiliate.Account) (identity.ExchangeAccount, error) {
	list, err := Stored(ctx, a.store)
	if err != nil {
		return identity.ExchangeAccount{}, err
	}
	for _, row := range list {
		if strings.EqualFold(string(row.Name), string(name)) {
			return row, nil
		}
	}
	return identity.ExchangeAccount{}, &store.RuleError{Problem: fmt.Sprintf("There is no stored account called “%s”.", name), Missing: true}
}
