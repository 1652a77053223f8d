package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

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

// isNew reports whether there is no database yet.
func isNew(cfg Config) bool {
	_, err := os.Stat(cfg.DB)
	return errors.Is(err, fs.ErrNotExist)
}
