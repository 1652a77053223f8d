package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store/imported"
)

type importCommissions struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	Account string            `required:"" placeholder:"NAME" help:"Account that earned them. One that has records of an exchange is refused: give the file an account of its own, with EXCHANGE=file."`
	Map     map[string]string `placeholder:"COLUMN=NAME" mapsep:"none" help:"What the file calls a column, such as commission=Rebate. May be given several times."`
	Zone    string            `name:"times-in" placeholder:"ZONE" default:"UTC" help:"Zone of times that state none."`
	From    string            `placeholder:"DAY" help:"First UTC day that the file covers, with --to; otherwise that of its first record."`
	To      string            `placeholder:"DAY" help:"Last UTC day that the file covers."`
	DryRun  bool              `help:"Say what the file would change, and change nothing."`
	File    string            `arg:"" placeholder:"FILE" help:"The file, CSV or XLSX, with the columns uid, time, coin, commission and, where known, fee, rate, taker_amount, maker_amount, symbol, product_type, invite_code; - reads standard input."`
}

// reading checks the flags.
func (c *importCommissions) reading(now time.Time) (how imported.Reading, err error) {
	if err := checkAccount("--account", c.Account); err != nil {
		return how, err
	}
	for column := range c.Map {
		if !slices.Contains(imported.Columns(), column) {
			return how, usage("--map %sis no column; the columns are %s", config.Echo(column), strings.Join(imported.Columns(), ", "))
		}
	}
	how = imported.Reading{Headers: c.Map, Now: now}
	if how.Zone, err = time.LoadLocation(c.Zone); err != nil || c.Zone == "Local" {
		return how, usage("--times-in %sis no zone; write it like UTC, Asia/Singapore or Etc/GMT-8", config.Echo(c.Zone))
	}
	if (c.From == "") != (c.To == "") {
		return how, usage("--from and --to belong together: give both, or neither")
	}
	if c.From == "" {
		return how, nil
	}
	for _, one := range []struct {
		flag, text string
		day        *affiliate.Day
	}{{"--from", c.From, &how.Days.First}, {"--to", c.To, &how.Days.Last}} {
		if *one.day, err = affiliate.ParseDay(one.text); err != nil {
			return how, usage("%s %sis not a day of the form YYYY-MM-DD", one.flag, config.Echo(one.text))
		}
	}
	today := affiliate.DayOf(now, time.UTC)
	if how.Days.First > how.Days.Last || how.Days.Last > today {
		return how, usage("--from %s --to %s: give days up to today, %s, the first not after the last", c.From, c.To, today)
	}
	return how, nil
}

// Run imports the file and prints the number of the import. Faults of the file are wrong usage.
func (c *importCommissions) Run(ctx context.Context, p *program) error {
	var file imported.File
	// The file is read before the database is opened, which may create it.
	read := func(cfg config.Config) error {
		how, err := c.reading(cfg.Clock())
		if err != nil {
			return err
		}
		file, err = readTable(ctx, p.stdin, c.File, imported.MaxFile, func(ctx context.Context, text []byte) (imported.File, error) {
			return imported.ParseFile(ctx, text, how)
		})
		return err
	}
	account := affiliate.Account(c.Account)
	if c.DryRun {
		cfg, _, err := p.configure(config.NeedStore)
		if err != nil {
			return err
		}
		switch isNew, err := database.IsNew(ctx, cfg); {
		case err != nil:
			return err
		case isNew: // all of the file is new, and no database is made
			if err := read(cfg); err != nil {
				return err
			}
			return reportImport(p.stderr, commissionWords(imported.AllNew(file), file), wouldImport)
		}
		return p.withStore(ctx, config.NeedStore|config.NeedMasterKey, after(read, database.OpenExisting), func(o opened) error {
			compared, err := reports.NewFileDesk(o.store).Compare(ctx, account, file)
			if err != nil {
				return sentence(err)
			}
			return reportImport(p.stderr, commissionWords(compared, file), wouldImport)
		})
	}
	return p.withKey(ctx, config.NeedStore, after(read, database.Open), func(o opened, _ secret.MasterKey) error {
		done, compared, err := reports.NewFileDesk(o.store).Import(ctx, account, file, filepath.Base(c.File), operatorAudit())
		if err != nil {
			return sentence(err)
		}
		if _, err := fmt.Fprintf(p.stdout, "import: %d\n", done.ID); err != nil {
			return err
		}
		return reportImport(p.stderr, commissionWords(compared, file), "Imported:")
	})
}

// commissionWords says what an import changes, in lines.
func commissionWords(c imported.Comparison, file imported.File) []string {
	lines := []string{
		fmt.Sprintf("%s to %s (UTC): %d new, %d removed, %d unchanged", c.Days.First, c.Days.Last, c.Added, c.Removed, c.Unchanged),
	}
	for _, coin := range slices.Sorted(maps.Keys(c.Changes)) {
		sum := c.Changes[coin]
		lines = append(lines, fmt.Sprintf("commission in %s changes by %s", coin, sum.String()))
	}
	if n := len(file.Codes); n > 0 {
		lines = append(lines, numbered(n, "user")+" with an invite code")
	}
	if len(file.Left) > 0 {
		lines = append(lines, "columns left out: "+strings.Join(file.Left, ", "))
	}
	return lines
}

func (c *importUndo) undoCommissions(ctx context.Context, o opened) (lines []string, err error) {
	done, err := reports.NewFileDesk(o.store).Undo(ctx, c.ID, operatorAudit())
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("%s removed, %s restored; invite codes stay", numbered(done.Removed, "record"), numbered(done.Restored, "record"))}, nil
}
