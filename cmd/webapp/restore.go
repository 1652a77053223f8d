package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"rebatedesk/store"
)

// restoreCommand makes the database of a backup. It never touches one that is
// there.
type restoreCommand struct {
	storeFlags `embed:"" group:"settings"`

	File string `arg:"" placeholder:"FILE" help:"The backup. It is only read."`
}

// Run restores, and says what the database holds now.
func (c *restoreCommand) Run(ctx context.Context, p *program) error {
	cfg, _, err := p.configure(NeedStore)
	if err != nil {
		return err
	}
	done, err := store.Restore(ctx, c.File, cfg.DB, store.Options{Zone: cfg.Timezone})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; name a file that webapp backup made", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "restored: %s from %s, everything up to %s\n", done.Path, c.File, done.Contents.LastWrite)
	if err := errors.Join(err, printContents(p.stdout, done.Contents)); err != nil {
		return err
	}
	if done.Schema != done.Contents.Schema {
		if _, err := fmt.Fprintf(p.stdout, "schema: brought up to version %d\n", done.Schema); err != nil {
			return err
		}
	}
	if done.KeyID == "" {
		return nil
	}
	_, err = fmt.Fprintf(p.stderr, "webapp: its secrets and its audit log need the master key that the database had: put it at %s.key, or set REBATEDESK_MASTER_KEY_FILE; with another key the program does not start on it\n"+
		"webapp: its users, passwords and API tokens are those of the backup: what was revoked, disabled or changed since then is not; look through webapp user list and webapp token list before it is served\n", cfg.DB)
	return err
}
