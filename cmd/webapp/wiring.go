package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/store"
)

// openStore opens the database of the settings, and makes it where there is
// none.
func openStore(ctx context.Context, cfg Config) (*store.Store, error) {
	return store.Open(ctx, cfg.DB, store.Options{Zone: cfg.Timezone, Now: cfg.Now})
}

// openExisting opens a database that has to be there: a command that only
// reads would make an empty one out of a mistyped path.
func openExisting(ctx context.Context, cfg Config) (*store.Store, error) {
	if _, err := os.Stat(cfg.DB); errors.Is(err, fs.ErrNotExist) {
		return nil, noDatabase(cfg)
	}
	return openStore(ctx, cfg)
}

func noDatabase(cfg Config) error {
	return fmt.Errorf("there is no database at %s: run webapp collect first, or name another one with --db or REBATEDESK_DB", cfg.DB)
}

// newCollector makes the collector of the accounts.
func newCollector(cfg Config, st *store.Store, a *accounts, log *slog.Logger) *collector.Collector {
	options := collector.Options{Store: st, Now: cfg.Now, History: cfg.History, Every: cfg.CollectEvery, Log: log}
	options.Accounts, options.Market = a.collected()
	return collector.New(options)
}

func newClient(a AccountConfig, budget *exchange.Budget, now func() time.Time, log *slog.Logger) (*exchange.Client, error) {
	client, err := exchange.New(exchange.Config{
		BaseURL: a.BaseURL, ContractBaseURL: a.ContractBaseURL,
		Key: a.Keys.Key, Secret: a.Keys.Secret, Passphrase: a.Keys.Passphrase,
		APIVersion: a.APIVersion, Locale: a.Locale, UserAgent: userAgent(), AllowPrivate: a.AllowPrivate,
		Budget: budget, Now: now, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Name, err)
	}
	return client, nil
}
