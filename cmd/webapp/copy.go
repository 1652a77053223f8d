package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/terminal"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// copyCommand copies one database into an empty other one.
type copyCommand struct {
	From     string `placeholder:"DB" help:"The database to copy: a path or postgres://…. It is only read. Better --from-file where the URL has a password."`
	FromFile string `placeholder:"FILE" help:"File with the URL of the database to copy."`
	To       string `placeholder:"DB" help:"The database to fill: a path where there is no file, or postgres://… without rows."`
	ToFile   string `placeholder:"FILE" help:"File with the URL of the database to fill."`
}

// Run copies, and prints what both databases contain.
func (c *copyCommand) Run(ctx context.Context, p *program) error {
	from, err := databaseOf("from", c.From, c.FromFile)
	if err != nil {
		return err
	}
	to, err := databaseOf("to", c.To, c.ToFile)
	if err != nil {
		return err
	}
	if from == to || !from.Remote() && !to.Remote() && samePlace(from.Reveal(), to.Reveal()) {
		return usage("--from and --to cannot both be %s: name two databases", from)
	}
	cfg, _, err := p.configure(config.NeedNothing)
	if err != nil {
		return err
	}
	cfg.DB = from
	err = database.Use(ctx, cfg, database.OpenUnchanged, func(st *store.Store) error { return c.copyAll(ctx, p, st, cfg, to) })
	return c.flagged(err, from, to)
}

func (c *copyCommand) copyAll(ctx context.Context, p *program, st *store.Store, cfg config.Config, to config.Database) error {
	var at atomic.Pointer[upkeep.CopyProgress]
	stop := terminal.ShowCopying(p.stderr, &at)
	made, err := upkeep.CopyInto(ctx, st, to.Reveal(), store.Options{Zone: cfg.Timezone, Now: cfg.Now, LeaseTime: cfg.LeaseTime}, func(now upkeep.CopyProgress) { at.Store(&now) })
	stop()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "copied: %s to %s, everything up to %s\n", cfg.DB, to, made.LastWrite)
	if err := errors.Join(err, printContents(p.stdout, made)); err != nil {
		return err
	}
	_, err = io.WriteString(p.stderr, "webapp: the master key is not copied; "+keyNote(p, cfg.DB)+fmt.Sprintf("; the copy needs the same key, as %s or by REBATEDESK_MASTER_KEY_FILE\n", to.Beside(database.KeySuffix)))
	return err
}

// flagged names the flag of a place that cannot be used.
func (c *copyCommand) flagged(err error, from, to config.Database) error {
	if faults, ok := errors.AsType[config.SettingFaults](err); ok {
		return usage("--from %s %s; %s", from, faults[0].Wrong, faults[0].Hint)
	}
	if wrong, ok := errors.AsType[*store.PlaceError](err); ok {
		return usage("--to %s %s; %s", to, wrong.Wrong, wrong.Mend)
	}
	return err
}

// databaseOf returns the database that one of two flags names: its place, or a file with it.
func databaseOf(flag, place, file string) (config.Database, error) {
	flag = "--" + flag
	switch {
	case place == "" && file == "":
		return "", usage("%s is missing: name a database by %[1]s or %[1]s-file", flag)
	case place != "" && file != "":
		return "", usage("%s and %[1]s-file exclude each other: keep one of the two", flag)
	case file != "":
		flag += "-file"
		text, err := config.ReadValue(file)
		if err != nil {
			return "", usage("%s: %w", flag, err)
		}
		place = text
	}
	db, wrong := config.ParseDatabase(place)
	if wrong != nil {
		return "", usage("%s %s%s; %s", flag, config.Echo(place), wrong.Wrong, wrong.Hint)
	}
	return db, nil
}
