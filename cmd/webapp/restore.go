package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// restoreCommand creates the database of a backup. It never overwrites an existing
// one.
type restoreCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`

	Rebuild bool   `help:"Make the roll-ups anew from the records first."`
	File    string `arg:"" placeholder:"FILE" help:"The backup. It is only read."`
}

// Run restores the backup, and prints what was verified and the contents of the database.
func (c *restoreCommand) Run(ctx context.Context, p *program) error {
	if err := checkFile("FILE", c.File); err != nil {
		return err
	}
	cfg, _, err := p.configure(config.NeedStore | config.NeedMasterKey)
	if err != nil {
		return err
	}
	key, origin, err := database.FindKey(cfg)
	if err != nil {
		return err
	}
	o := upkeep.RestoreOptions{Options: store.Options{Zone: cfg.Timezone, Now: cfg.Now}, Rebuild: c.Rebuild}
	if key.Given() {
		o.AuditKey = key.Derive(database.AuditLabel)
	}
	done, err := upkeep.Restore(ctx, c.File, cfg.DB.Reveal(), o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; name a file that webapp backup made", err)
	case errors.Is(err, store.ErrAuditKey):
		return config.SettingFaults{{Setting: "MASTER_KEY", Origin: origin,
			Wrong: fmt.Sprintf("is not the key that the backup %s was written with, so nothing was restored", c.File),
			Hint:  "give the key of the time of the backup, or none: without it the figures can be read, and what is secret cannot"}}
	case errors.Is(err, upkeep.ErrRollups):
		return fmt.Errorf("%w: take another backup; if there is none, webapp restore --rebuild takes the records for right and makes the roll-ups anew: compare the sums that it prints with those that webapp backup has printed, or with a report", err)
	case err != nil:
		return err
	}
	if key.Given() && done.KeyID != "" {
		if err := c.noteRestored(ctx, p, cfg, key.Derive(database.AuditLabel), done); err != nil {
			return err
		}
	}
	return errors.Join(c.report(p.stdout, done), tellRestored(p.stderr, cfg, done, key.Given()))
}

// noteRestored begins the audit log anew with a line that says so: what is kept elsewhere of how far
// the log had come does not hold from there on.
func (c *restoreCommand) noteRestored(ctx context.Context, p *program, cfg config.Config, key []byte, done upkeep.Restored) error {
	return database.Use(ctx, cfg, database.OpenExisting, func(st *store.Store) error {
		if err := st.UseAuditKey(ctx, key); err != nil {
			return err
		}
		return p.noteRestored(ctx, opened{cfg: cfg, store: st, stderr: p.stderr}, fmt.Sprintf("from %s, everything up to %s", filepath.Base(c.File), done.Contents.LastWrite))
	})
}

// report prints the results.
func (c *restoreCommand) report(w io.Writer, done upkeep.Restored) error {
	checksum := "none beside the backup, so a change that leaves it readable may go unseen"
	if done.Checksum {
		checksum = "the backup is the file that its checksum was written for"
	}
	_, err := fmt.Fprintf(w, "restored: %s from %s, everything up to %s\nchecksum: %s\n", done.Path, c.File, done.Contents.LastWrite, checksum)
	for _, f := range done.Findings {
		words := "ok: " + f.Check + ": " + f.Seen
		if f.Unproved {
			words = "not proved: " + f.Check + ": " + f.Faults[0]
		}
		_, line := fmt.Fprintln(w, words)
		err = errors.Join(err, line)
	}
	err = errors.Join(err, printContents(w, done.Contents))
	if done.Schema != done.Contents.Schema {
		_, line := fmt.Fprintf(w, "schema: brought up to version %d\n", done.Schema)
		err = errors.Join(err, line)
	}
	return err
}

// tellRestored prints what to do before the database is served.
func tellRestored(w io.Writer, cfg config.Config, done upkeep.Restored, key bool) error {
	if done.KeyID == "" {
		return nil
	}
	text := "webapp: its users, passwords and API tokens are those of the backup: what was revoked, disabled or changed since then is not; look through webapp user list and webapp token list before it is served\n"
	if !key {
		text = fmt.Sprintf("webapp: there is no master key here: keys of the exchange that are stored, secrets of authenticators and links in mails cannot be read without it, "+
			"the audit log was not proved, and the program does not start on this database; put the key that the database had at %s, or set REBATEDESK_MASTER_KEY_FILE, then run webapp verify --restored WHY\n", cfg.DB.Beside(database.KeySuffix)) + text
	}
	_, err := io.WriteString(w, text)
	return err
}
