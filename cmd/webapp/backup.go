package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store/upkeep"
)

// backupCommand copies the database while it is in use. It does not migrate the
// schema first: a backup before an upgrade keeps the old version.
type backupCommand struct {
	config.StoreFlags `embed:"" group:"settings"`

	File string `arg:"" placeholder:"FILE" help:"File to write; must not be there yet."`
}

// Run makes the backup and prints what it contains.
func (c *backupCommand) Run(ctx context.Context, p *program) error {
	if err := checkFile("FILE", c.File); err != nil {
		return err
	}
	return p.withStore(ctx, config.NeedStore, database.OpenUnchanged, func(o opened) error { return c.backUp(ctx, p, o) })
}

func (c *backupCommand) backUp(ctx context.Context, p *program, o opened) error {
	made, err := upkeep.Backup(ctx, o.store, c.File)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "backup: %s, %d bytes, everything up to %s\nchecksum: %s\n", made.File, made.Bytes, made.Contents.LastWrite, made.Checksum)
	if err := errors.Join(err, printContents(p.stdout, made.Contents)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stderr, "webapp: the master key is not part of the backup; %s\n", keyNote(p, o.cfg.DB))
	return err
}

// printContents prints the contents of a database, one sum a line.
func printContents(w io.Writer, c upkeep.Contents) error {
	_, err := fmt.Fprintf(w, "checked: %d rows in %d tables, schema version %d\n", c.Rows(), len(c.Tables), c.Schema)
	for _, sum := range c.Open {
		_, line := fmt.Fprintf(w, "checked: %s\n", printable(fmt.Sprint(sum)))
		err = errors.Join(err, line)
	}
	return err
}

// keyNote says where the master key of a database is, and how to keep it safe.
func keyNote(p *program, db config.Database) string {
	where := keyPlace(p.sources, db)
	if where == "" {
		return "this database has none so far"
	}
	return "it is " + where + ": keep a copy of it apart, since who has both has every stored secret"
}

// keyPlace returns where the master key of a database comes from. It is empty if the
// database has no key.
func keyPlace(from config.Inputs, db config.Database) string {
	if place := from.PlaceOf("MASTER_KEY"); place != "" {
		return "what " + place + " gives"
	}
	path := db.Beside(database.KeySuffix)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return "in " + path
}
