package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/secret"
)

type importPeople struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	DryRun bool   `help:"Say what the file would change, and change nothing."`
	File   string `arg:"" placeholder:"FILE" help:"The people file, CSV or XLSX, with the columns uid, name, invite_code, tags, owner, cost, cost_coin, note, phone, email, telegram; - reads standard input."`
}

// Run imports the file and prints the number of the import. Faults of the file are wrong usage.
func (c *importPeople) Run(ctx context.Context, p *program) error {
	var file people.File
	// The file is read before the database is opened, which may create it.
	read := func(config.Config) (err error) {
		file, err = readTable(ctx, p.stdin, c.File, people.MaxFile, people.ParseFile)
		return err
	}
	if c.DryRun {
		return p.withStore(ctx, config.NeedStore|config.NeedMasterKey, after(read, database.OpenExisting), func(o opened) error {
			compared, err := reports.NewPeopleDesk(o.store).Compare(ctx, file)
			if err != nil {
				return sentence(err)
			}
			return reportImport(p.stderr, reports.ImportWords(compared, file), wouldImport)
		})
	}
	return p.withKey(ctx, config.NeedStore, after(read, database.Open), func(o opened, _ secret.MasterKey) error {
		done, compared, err := reports.NewPeopleDesk(o.store).Import(ctx, file, filepath.Base(c.File), operatorAudit())
		if err != nil {
			return sentence(err)
		}
		if _, err := fmt.Fprintf(p.stdout, "import: %d\n", done.ID); err != nil {
			return err
		}
		return reportImport(p.stderr, reports.ImportWords(compared, file), "Imported:")
	})
}

// exportPeople writes the people file, which an import reads.
func (c *exportCommand) exportPeople(ctx context.Context, p *program) error {
	for flag, value := range map[string]string{"--from": c.From, "--to": c.To, "--account": c.Account, "--product": c.Product, "--coin": c.Coin, "--uid": c.UID, "--symbol": c.Symbol,
		"--source": c.Source, "--code": c.Code, "--as-of": c.AsOf, "--since": c.Since, "--until": c.Until, "--manifest": c.Manifest} {
		if value != "" {
			return usage("%s: does not apply to an export of people, which has everybody", flag)
		}
	}
	format := export.Format(c.Format)
	if format != export.CSV && format != export.XLSX {
		return usage("--format %s: people are exported as csv or xlsx, the forms that an import reads", c.Format)
	}
	check := func(cfg config.Config) error { return c.checkTargets(cfg.DB) }
	return p.withStore(ctx, config.NeedStore, after(check, database.OpenExisting), func(o opened) error {
		write := func(w io.Writer) error {
			_, err := reports.NewPeopleDesk(o.store).WriteFile(ctx, w, format)
			return err
		}
		if c.Output == "" || c.Output == "-" {
			return write(p.stdout)
		}
		return writeTo(c.Output, "people."+string(format), write)
	})
}
