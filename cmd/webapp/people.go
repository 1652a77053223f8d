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

// importCommand takes what is known of people from files.
type importCommand struct {
	config.StoreFlags `embed:"" group:"settings"`

	People importPeople `cmd:"" help:"Store who UIDs are: name, invite code, tags, owner, cost and note. All of the file or nothing."`
	Undo   importUndo   `cmd:"" help:"Undo an import: restore each value that is still as the import left it."`
}

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
			return c.report(p.stderr, reports.ImportWords(compared, file), "Nothing was stored. An import would make it:")
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
		return c.report(p.stderr, reports.ImportWords(compared, file), "Imported:")
	})
}

func (c *importPeople) report(w io.Writer, lines []string, first string) error {
	for _, line := range append([]string{first}, lines...) {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}

type importUndo struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	ID int64 `arg:"" placeholder:"ID" help:"Number of the import, as it was printed, or as the page of imports shows it."`
}

// Run undoes the import and says what it left.
func (c *importUndo) Run(ctx context.Context, p *program) error {
	if c.ID < 1 {
		return usage("<id>: %d is not the number of an import; the page of imports shows them", c.ID)
	}
	return p.act(ctx, config.NeedStore, func(o opened) error {
		restored, kept, err := reports.NewPeopleDesk(o.store).Undo(ctx, c.ID, operatorAudit())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.stdout, "undone: %d\n", c.ID); err != nil {
			return err
		}
		lines := []string{numbered(restored, "value") + " restored"}
		for _, value := range kept {
			lines = append(lines, fmt.Sprintf("left as it is: %s of %s, which was changed after the import", value.Field, value.UID))
		}
		for _, line := range lines {
			if _, err := fmt.Fprintln(p.stderr, printable(line)); err != nil {
				return err
			}
		}
		return nil
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
