// Package database opens the database of the settings and finds its master key.
package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/store"
)

// Open opens the database of the settings, and makes it where there is
// none.
func Open(ctx context.Context, cfg config.Config) (*store.Store, error) {
	return store.Open(ctx, cfg.DB, store.Options{Zone: cfg.Timezone, Now: cfg.Now})
}

// OpenExisting opens a database that has to be there: a command that only
// reads would make an empty one out of a mistyped path.
func OpenExisting(ctx context.Context, cfg config.Config) (*store.Store, error) {
	if _, err := os.Stat(cfg.DB); errors.Is(err, fs.ErrNotExist) {
		return nil, Missing(cfg)
	}
	return Open(ctx, cfg)
}

func Missing(cfg config.Config) error {
	return fmt.Errorf("there is no database at %s: run webapp collect first, or name another one with --db or REBATEDESK_DB", cfg.DB)
}

// IsNew reports whether there is no database yet.
func IsNew(cfg config.Config) bool {
	_, err := os.Stat(cfg.DB)
	return errors.Is(err, fs.ErrNotExist)
}
