package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/cmd/webapp/internal/rekey"
	"rebatedesk/secret"
	"rebatedesk/store"
)

// keyCommand keeps the master key.
type keyCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`
	config.BackupDirFlag `embed:"" group:"settings"`

	Change keyChange `cmd:"" help:"Seal everything in the database with another master key. Servers are stopped first."`
}

// keyChange changes the key. Without a flag the new one is made beside the file of the present one.
type keyChange struct {
	NewKeyFile  *string `xor:"new" placeholder:"FILE" help:"File of the new key, 32 bytes in base64; it is made if it does not exist. Not needed if the present key is in the file beside the database."`
	NewKeyStdin bool    `xor:"new" help:"Read the new key from standard input."`
}

// newSuffix is appended to the path of the file of a key to name that of the next one.
const newSuffix = ".new"

// nextKey is the key that takes the place of another one.
type nextKey struct {
	secret.MasterKey
	file string // where it is; empty: it was typed
	made bool   // it is made by this command
}

// Run changes the key, puts the new one in the place of a file beside the database, and says what is
// left to do.
func (c *keyChange) Run(ctx context.Context, p *program) error {
	if c.NewKeyFile != nil {
		if err := checkFile("--new-key-file", *c.NewKeyFile); err != nil {
			return err
		}
	}
	next, err := c.given(p.stdin)
	if err != nil {
		return err
	}
	return p.withStore(ctx, config.NeedStore|config.NeedMasterKey|config.NeedBackups, database.OpenExisting, func(o opened) error {
		old, place, err := database.FindKey(o.cfg)
		if err != nil {
			return err
		}
		begun, err := o.store.AuditKeyID(ctx)
		switch {
		case err != nil:
			return err
		case begun == "" && !old.Given():
			return fmt.Errorf("the database %s has no master key so far: one is made when it is first needed", o.cfg.DB)
		case next.file == "" && !next.Given() && place == "" && old.Given():
			return usage("the present master key is what %s gives: name the new one with --new-key-file or --new-key-stdin", p.sources.PlaceOf("MASTER_KEY"))
		}
		if next.file == "" && !next.Given() {
			if next, err = keyIn(o.cfg.DB.Beside(database.KeySuffix) + newSuffix); err != nil {
				return fmt.Errorf("the new master key of an earlier command cannot be read: %w; move that file away", err)
			}
			// Only a key that the database has already is that of an earlier command. Any other file is
			// someone's, or of a command that changed nothing.
			if next.Given() && begun != store.AuditKeyID(next.Derive(database.AuditLabel)) {
				if err := os.Remove(next.file); err != nil {
					return err
				}
				next.MasterKey, next.made = secret.MasterKey{}, true
			}
		}
		return c.change(ctx, p, o, old, place, begun, next)
	})
}

// given reads the key that the flags name. A file that does not exist holds none yet.
func (c *keyChange) given(stdin io.Reader) (next nextKey, err error) {
	switch {
	case c.NewKeyFile != nil:
		if next, err = keyIn(*c.NewKeyFile); err != nil {
			return next, usage("--new-key-file: %w; name a file with 32 bytes in base64, or one that does not exist", err)
		}
	case c.NewKeyStdin:
		text, err := io.ReadAll(io.LimitReader(stdin, config.MaxSecretFile))
		if err != nil {
			return next, fmt.Errorf("reading the new key: %w", err)
		}
		if next.MasterKey, err = secret.ParseKey(strings.TrimSpace(string(text))); err != nil {
			return next, usage("--new-key-stdin: what was typed %w; make one with: head -c 32 /dev/urandom | base64", err)
		}
	}
	return next, nil
}

// keyIn reads a key. A file that does not exist holds none yet.
func keyIn(path string) (next nextKey, err error) {
	next.file = path
	next.MasterKey, err = secret.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		next.made = true
		return next, nil
	}
	if err != nil {
		return next, files.PlainError(path, err)
	}
	return next, nil
}

func (c *keyChange) change(ctx context.Context, p *program, o opened, old secret.MasterKey, place, begun string, next nextKey) error {
	if next.Given() && old.Given() && begun == store.AuditKeyID(next.Derive(database.AuditLabel)) && old.ID() != next.ID() {
		// An earlier command ended after the change, before the key was in its place.
		if err := o.store.UseAuditKey(ctx, next.Derive(database.AuditLabel)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.stdout, "the master key of %s is the new one already\n", o.cfg.DB); err != nil {
			return err
		}
		return c.finish(ctx, p, o, old, place, next)
	}
	old, err := database.EnsureKey(ctx, o.cfg, o.store, o.stderr)
	if err != nil {
		return err
	}
	if next.made {
		if next.MasterKey, err = secret.MakeFile(next.file); err != nil {
			return fmt.Errorf("making the new master key: %w; let this user write there", err)
		}
	}
	// Before the state that they are compared with is opened.
	anchors := database.Anchors(o.cfg)
	done, err := rekey.Change(ctx, o.store, old, next.MasterKey, operatorAudit(), anchors...)
	if errors.Is(err, rekey.ErrSameKey) {
		return usage("the new master key is the present one: give another one")
	}
	if err != nil {
		// Whether a commit whose answer was lost took place is not known: a key that was made stays.
		return errors.Join(fmt.Errorf("the master key was not changed: %w", err), kept(p.stderr, next))
	}
	for _, warning := range done.AuditLog.Warnings {
		if _, err := fmt.Fprintf(p.stderr, "webapp: the audit log: %s\n", printable(warning)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "changed: the master key of %s\nsealed again: %d\naudit log: %s proved with the former key, and given codes by the new one\n",
		o.cfg.DB, done.Sealed, printable(done.AuditLog.Seen)); err != nil {
		return err
	}
	return c.finish(ctx, p, o, old, place, next)
}

// kept says where a key is that was made.
func kept(w io.Writer, next nextKey) error {
	if !next.made {
		return nil
	}
	_, err := fmt.Fprintf(w, "webapp: the new master key stays in %s, and is taken the next time if the database has it\n", next.file)
	return err
}

// finish keeps the anchor, puts the new key in the place of a file beside the database, and says what
// is left to do.
func (c *keyChange) finish(ctx context.Context, p *program, o opened, old secret.MasterKey, place string, next nextKey) error {
	text := ""
	if place == "" {
		from := p.sources.PlaceOf("MASTER_KEY")
		where := "the key that was typed"
		if next.file != "" {
			where = "the key in " + next.file
		}
		text = fmt.Sprintf("webapp: before a server is started, let %s give %s; the former key is what it gives now\n", from, where)
	} else {
		former := place + ".former-" + old.ID()
		if err := os.Link(place, former); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("keeping the former master key: %w; the database has the new one: run the command again", err)
		} else if there, unread := secret.ReadFile(former); unread != nil || there.ID() != old.ID() {
			return fmt.Errorf("the former master key was not kept, because %s is something else; the database has the new one: move that file away and run the command again", former)
		}
		if err := secret.ReplaceFile(place, next.MasterKey); err != nil {
			return fmt.Errorf("putting the new master key in its place: %w; the database has it: run the command again", err)
		}
		if next.file == place+newSuffix {
			if err := os.Remove(next.file); err != nil {
				return err
			}
		}
		text = fmt.Sprintf("webapp: the new master key is in %s, and the former one in %s: keep a copy of both in a safe place, apart from the backups\n", place, former)
	}
	text += "webapp: backups made before need the former key: keep it as long as you keep them, and make a backup now\n" +
		"webapp: links that end mails, in mails sent before, work no more\n"
	if o.cfg.DB.Remote() {
		text += "webapp: every other node needs the new key before it is started\n"
	}
	_, err := io.WriteString(p.stderr, text)
	return errors.Join(err, p.keepAnchor(ctx, o))
}
