package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/store"
)

// openStore opens the database of the settings, and makes it where there is
// none.
func openStore(ctx context.Context, cfg Config) (*store.Store, error) {
	return store.Open(ctx, cfg.DB, store.Options{Zone: cfg.Timezone})
}

// openExisting opens a database that has to be there: a command that only
// reads would make an empty one out of a mistyped path.
func openExisting(ctx context.Context, cfg Config) (*store.Store, error) {
	if _, err := os.Stat(cfg.DB); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database at %s: run webapp collect first, or name another one with --db or REBATEDESK_DB", cfg.DB)
	}
	return openStore(ctx, cfg)
}

// newCollector makes the collector of the configured accounts. They share one
// budget: the exchange counts by address.
func newCollector(cfg Config, st *store.Store, log *slog.Logger) (*collector.Collector, error) {
	budget := exchange.NewBudget(cfg.RateBudget)
	var accounts []collector.Account
	for _, a := range cfg.Accounts {
		client, err := newClient(a, budget, log)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, collector.Account{Name: a.Name, Client: client})
	}
	options := collector.Options{Store: st, Accounts: accounts, History: cfg.History, Every: cfg.CollectEvery, Log: log}
	if len(cfg.Accounts) > 0 {
		// Prices are the same for every account. A client of their own keeps
		// them out of what the runs of an account cost.
		var err error
		if options.Market, err = newClient(cfg.Accounts[0], budget, log); err != nil {
			return nil, err
		}
	}
	return collector.New(options), nil
}

func newClient(a AccountConfig, budget *exchange.Budget, log *slog.Logger) (*exchange.Client, error) {
	client, err := exchange.New(exchange.Config{
		BaseURL: a.BaseURL, ContractBaseURL: a.ContractBaseURL,
		Key: a.Keys.Key, Secret: a.Keys.Secret, Passphrase: a.Keys.Passphrase,
		APIVersion: a.APIVersion, Locale: a.Locale, UserAgent: userAgent(),
		Budget: budget, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Name, err)
	}
	return client, nil
}
