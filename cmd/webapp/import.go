package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store/people"
	"rebatedesk/store/prices"
)

// importCommand takes what people know from files.
type importCommand struct {
	config.StoreFlags `embed:"" group:"settings"`

	People      importPeople      `cmd:"" help:"Store who UIDs are: name, invite code, tags, owner, cost and note. All of the file or nothing."`
	Prices      importPrices      `cmd:"" help:"Store prices of coins for days without a collected one. All of the file or nothing; a collected price always counts."`
	Commissions importCommissions `cmd:"" help:"Store commissions of an exchange without an interface. The file says what was earned on all days that it covers; it replaces what was known of them."`
	Undo        importUndo        `cmd:"" help:"Undo an import: restore each value that is still as the import left it."`
}

// wouldImport precedes what an import would change.
const wouldImport = "Nothing was stored. An import would make it:"

// reportImport prints what an import changed, or would.
func reportImport(w io.Writer, lines []string, first string) error {
	for _, line := range append([]string{first}, lines...) {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}

type importPrices struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	DryRun bool   `help:"Say what the file would change, and change nothing."`
	File   string `arg:"" placeholder:"FILE" help:"The price file, CSV or XLSX, with the columns date, coin, price_usdt; days are days of TIMEZONE that are over; - reads standard input."`
}

// Run imports the file and prints the number of the import. Faults of the file are wrong usage.
func (c *importPrices) Run(ctx context.Context, p *program) error {
	var file prices.File
	// The file is read before the database is opened, which may create it.
	read := func(config.Config) (err error) {
		file, err = readTable(ctx, p.stdin, c.File, prices.MaxFile, prices.ParseFile)
		return err
	}
	if c.DryRun {
		return p.withStore(ctx, config.NeedStore|config.NeedMasterKey, after(read, database.OpenExisting), func(o opened) error {
			compared, err := reports.NewPriceDesk(o.store).Compare(ctx, file)
			if err != nil {
				return sentence(faultsAsUsage(c.File, err))
			}
			return reportImport(p.stderr, reports.PriceWords(compared, file), wouldImport)
		})
	}
	return p.withKey(ctx, config.NeedStore, after(read, database.Open), func(o opened, _ secret.MasterKey) error {
		done, compared, err := reports.NewPriceDesk(o.store).Import(ctx, file, filepath.Base(c.File), operatorAudit())
		if err != nil {
			return sentence(faultsAsUsage(c.File, err))
		}
		if _, err := fmt.Fprintf(p.stdout, "import: %d\n", done.ID); err != nil {
			return err
		}
		return reportImport(p.stderr, reports.PriceWords(compared, file), "Imported:")
	})
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
		undo := c.undoPeople
		switch kind, err := reports.NewPriceDesk(o.store).KindOfImport(ctx, c.ID); {
		case err != nil:
			return err
		case kind == people.PriceImport:
			undo = c.undoPrices
		case kind == people.CommissionImport:
			undo = c.undoCommissions
		}
		lines, err := undo(ctx, o)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.stdout, "undone: %d\n", c.ID); err != nil {
			return err
		}
		return reportImport(p.stderr, lines[1:], lines[0])
	})
}

func (c *importUndo) undoPeople(ctx context.Context, o opened) (lines []string, err error) {
	restored, kept, err := reports.NewPeopleDesk(o.store).Undo(ctx, c.ID, operatorAudit())
	if err != nil {
		return nil, err
	}
	lines = []string{numbered(restored, "value") + " restored"}
	for _, value := range kept {
		lines = append(lines, fmt.Sprintf("left as it is: %s of %s, which was changed after the import", value.Field, value.UID))
	}
	return lines, nil
}

func (c *importUndo) undoPrices(ctx context.Context, o opened) (lines []string, err error) {
	done, err := reports.NewPriceDesk(o.store).Undo(ctx, c.ID, operatorAudit())
	if err != nil {
		return nil, err
	}
	lines = []string{fmt.Sprintf("%s removed, %d of earlier imports restored", numbered(done.Removed, "price"), done.Restored)}
	if done.Kept > 0 {
		lines = append(lines, "left as they are: "+numbered(done.Kept, "price")+", which a later import replaced")
	}
	return lines, nil
}
