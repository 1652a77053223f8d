package main

import (
	"context"
	"io"
	"log/slog"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/seal"
	"rebatedesk/store"
)

// opened is the environment of a command: its settings, its log and its database.
type opened struct {
	cfg    config.Config
	log    *slog.Logger
	store  *store.Store
	stderr io.Writer
}

// withStore reads the settings that a command needs, opens the database, runs f and
// closes the database.
func (p *program) withStore(ctx context.Context, need config.Requirement, open database.Opener, f func(opened) error) error {
	cfg, log, err := p.configure(need)
	if err != nil {
		return err
	}
	return database.Use(ctx, cfg, open, func(st *store.Store) error { return f(opened{cfg, log, st, p.stderr}) })
}

// withKey is withStore for commands that seal secrets or write the audit log. The master
// key is created if it does not exist.
func (p *program) withKey(ctx context.Context, need config.Requirement, open database.Opener, f func(opened, seal.MasterKey) error) error {
	return p.withStore(ctx, need|config.NeedMasterKey, open, func(o opened) error {
		key, err := database.EnsureKey(ctx, o.cfg, o.store, o.stderr)
		if err != nil {
			return err
		}
		return f(o, key)
	})
}
