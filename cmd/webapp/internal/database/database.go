// Package database opens the database of the settings and finds its master key.
package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// Open opens the database of the settings, and creates it if it does not exist.
func Open(ctx context.Context, cfg config.Config) (*store.Store, error) {
	st, err := store.Open(ctx, cfg.DB.Reveal(), options(cfg))
	if err != nil {
		return nil, faulted(cfg, err)
	}
	if err := records.MakeRollups(ctx, st); err != nil {
		return nil, fmt.Errorf("database %s: %w", cfg.DB, errors.Join(err, st.Close()))
	}
	return st, nil
}

func options(cfg config.Config) store.Options {
	return store.Options{Zone: cfg.Timezone, Now: cfg.Now, Node: cfg.Node, LeaseTime: cfg.LeaseTime}
}

// OpenExisting opens a database that must exist: a mistyped path must not create an empty
// one.
func OpenExisting(ctx context.Context, cfg config.Config) (*store.Store, error) {
	isNew, err := IsNew(ctx, cfg)
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return nil, Missing(cfg)
	}
	return Open(ctx, cfg)
}

// OpenUnchanged opens a database that must exist, without migrating its schema.
func OpenUnchanged(ctx context.Context, cfg config.Config) (*store.Store, error) {
	st, err := store.OpenUnchanged(ctx, cfg.DB.Reveal(), options(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Missing(cfg)
	}
	return st, faulted(cfg, err)
}

// faulted returns a fault of the settings for a place that cannot be used, and err itself
// otherwise. A server that cannot be reached is no such fault: it may come back.
func faulted(cfg config.Config, err error) error {
	if wrong, ok := errors.AsType[*store.PlaceError](err); ok {
		return config.SettingFaults{{Setting: "DB", Wrong: wrong.Wrong, Hint: wrong.Mend}}
	}
	if hint := store.Hint(err); hint != "" && cfg.DB.Remote() {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// Opener opens the database of the settings.
type Opener func(context.Context, config.Config) (*store.Store, error)

// Use opens the database, runs f on it and closes it.
func Use(ctx context.Context, cfg config.Config, open Opener, f func(*store.Store) error) (err error) {
	st, err := open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return f(st)
}

// Missing is the error of a command that needs a database if it does not exist.
func Missing(cfg config.Config) error {
	return fmt.Errorf("there is no database at %s: run webapp collect first, or name another one with --db or REBATEDESK_DB", cfg.DB)
}

// IsNew reports whether the database does not exist yet: there is no file, or a database of
// a server has no tables.
func IsNew(ctx context.Context, cfg config.Config) (bool, error) {
	there, err := store.Exists(ctx, cfg.DB.Reveal())
	return !there, faulted(cfg, err)
}
