package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports/query"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/terms"
)

// termsCommand manages the agreed rates.
type termsCommand struct {
	config.StoreFlags  `embed:"" group:"settings"`
	config.ReportFlags `embed:"" group:"settings"`

	Import termsImport `cmd:"" help:"Store the agreed rates of a file, all of them or none."`
	List   termsList   `cmd:"" help:"List the agreed rates in force."`
	Remove termsRemove `cmd:"" help:"Remove an agreed rate; what it was stays known."`
}

const needTerms = config.NeedStore | config.NeedReports

type termsImport struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	DryRun bool   `help:"Say what the file would change, and change nothing."`
	File   string `arg:"" placeholder:"FILE" help:"The terms file, CSV or XLSX, with the columns scope, value, product_type, rate, from, to, note; - reads standard input."`
}

// Run imports the file and prints what it changed. Faults of the file are wrong usage.
func (c *termsImport) Run(ctx context.Context, p *program) error {
	var file terms.File
	// The file is read before the database is opened, which may create it.
	read := func(config.Config) (err error) {
		file, err = readTable(ctx, p.stdin, c.File, terms.MaxFileBytes, terms.Parse)
		return err
	}
	if c.DryRun {
		return p.withStore(ctx, needTerms|config.NeedMasterKey, after(read, database.OpenExisting), func(o opened) error {
			return c.compare(ctx, p, o, file)
		})
	}
	return p.withKey(ctx, needTerms, after(read, database.Open), func(o opened, _ secret.MasterKey) error {
		m, seen, err := newReports(o.cfg, o.store).CompareTerms(ctx, file)
		if err != nil {
			return c.refused(err)
		}
		remarks := m.Remarks
		if m, err = agreements.ImportTerms(ctx, o.store, file, filepath.Base(c.File), seen, operatorAudit()); err != nil {
			return c.refused(err)
		}
		m.Remarks = remarks
		return c.report(p.stdout, m, file.Repeats)
	})
}

func (c *termsImport) compare(ctx context.Context, p *program, o opened, file terms.File) error {
	m, _, err := newReports(o.cfg, o.store).CompareTerms(ctx, file)
	if err != nil {
		return c.refused(err)
	}
	return c.report(p.stdout, m, file.Repeats)
}

// refused makes contradictions to stored terms an error of usage.
func (c *termsImport) refused(err error) error { return sentence(faultsAsUsage(c.File, err)) }

func numbered(n int, noun string) string {
	return strconv.Itoa(n) + " " + noun + either(n == 1, "", "s")
}

// report prints a line for each term that the file changes, and the counts.
func (c *termsImport) report(w io.Writer, m terms.Merging, repeats int) error {
	var lines []string
	say := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	for _, t := range m.Added {
		say("added: %s", termWords(t))
	}
	for _, change := range m.Changed {
		say("changed: %s, instead of %s", termWords(change.After), termWords(change.Before))
	}
	for _, s := range m.Ended {
		say("ended on %s by %s: %s", s.Last, s.EndedBy.Where(), termWords(s.Term))
	}
	for _, t := range m.Unchanged {
		say("unchanged: %s", termWords(t))
	}
	for _, remark := range m.Remarks {
		say("note: %s", remark)
	}
	if repeats > 0 {
		say("note: %s of the file say the same as earlier ones.", numbered(repeats, "line"))
	}
	say("%s%d added, %d changed, %d ended earlier, %d unchanged", either(c.DryRun, "nothing written; an import would make it: ", ""),
		len(m.Added), len(m.Changed), len(m.Ended), len(m.Unchanged))
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}

// termWords says which term it is, and what was agreed.
func termWords(t terms.Term) string {
	words := fmt.Sprintf("%s: %s: %s, %s", t.Where(), t.About(), t.Rate, t.Days())
	for _, text := range []string{t.Note, t.Reference} {
		if text != "" {
			words += ", " + strconv.Quote(text)
		}
	}
	return words
}

type termsList struct {
	AsOf string `placeholder:"TIME" help:"The terms that were known at this instant (RFC 3339), or at the end of this day."`
	JSON bool   `name:"json" xor:"form" help:"Print JSON."`
	CSV  bool   `name:"csv" xor:"form" help:"Print a terms file, which terms import reads."`
}

// Run prints a line for each term in force.
func (c *termsList) Run(ctx context.Context, p *program) error {
	if err := checkFilters(p.clock(), map[string]string{"as_of": c.AsOf}); err != nil {
		return err
	}
	return p.read(ctx, needTerms, func(cfg config.Config, r *store.Tx) error {
		now := cfg.Clock()
		asked, err := readFilters(map[string]string{"as_of": c.AsOf}, query.Basis{Now: now, Zone: cfg.Timezone, First: affiliate.DayOf(now, cfg.Timezone)})
		if err != nil {
			return err
		}
		list, err := agreements.TermsAt(ctx, r, asked.AsOfMillis())
		switch {
		case err != nil:
			return err
		case c.JSON:
			return printTermsJSON(p.stdout, list)
		case c.CSV:
			return terms.WriteFile(p.stdout, list)
		}
		return printTable(p, "ID\tABOUT\tRATE\tCOIN\tFROM\tTO\tENDS\tNOTE\tREFERENCE", spellsOf(list), func(s terms.Spell) string {
			return strings.Join([]string{strconv.FormatInt(s.ID, 10), s.About(), string(s.Rate), dash(string(s.Coin)), s.From.String(), dash(dayText(s.To)), dash(dayText(s.Last)), dash(s.Note), dash(s.Reference)}, "\t")
		})
	})
}

// spellsOf returns the terms with the days on which each holds.
func spellsOf(list []terms.Term) (spells []terms.Spell) {
	for _, s := range terms.AllSeries(list) {
		spells = append(spells, s.Spells...)
	}
	return spells
}

// dayText is empty for until further notice.
func dayText(day affiliate.Day) string {
	if day == 0 {
		return ""
	}
	return day.String()
}

// termJSON is a term for programs; an empty text means the same as in the terms file.
type termJSON struct {
	ID        int64             `json:"id"`
	Scope     terms.Scope       `json:"scope"`
	Value     string            `json:"value"`
	Product   affiliate.Product `json:"product_type"`
	Rate      affiliate.Number  `json:"rate"`
	From      string            `json:"from"`
	To        string            `json:"to"`
	Ends      string            `json:"ends"`     // the last day on which it holds; empty: until further notice
	EndedBy   int64             `json:"ended_by"` // the later term that ends it; 0: none
	Note      string            `json:"note"`
	Account   affiliate.Account `json:"account"`
	Source    affiliate.Source  `json:"source"`
	TierBy    terms.TierBy      `json:"tier_by"`
	TierFrom  affiliate.Number  `json:"tier_from"`
	Reference string            `json:"reference"`
	Coin      affiliate.Coin    `json:"coin"` // in which a share of a sub-affiliate is settled
}

func printTermsJSON(w io.Writer, list []terms.Term) error {
	out := struct {
		Terms []termJSON `json:"terms"`
	}{[]termJSON{}}
	for _, s := range spellsOf(list) {
		line := termJSON{ID: s.ID, Scope: s.Scope, Value: s.Value, Product: s.Product, Rate: s.Rate, From: s.From.String(), To: dayText(s.To), Ends: dayText(s.Last),
			Note: s.Note, Account: s.Account, Source: s.Source, TierBy: s.TierBy, TierFrom: s.TierFrom, Reference: s.Reference, Coin: s.Coin}
		if s.EndedBy != nil {
			line.EndedBy = s.EndedBy.ID
		}
		out.Terms = append(out.Terms, line)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

type termsRemove struct {
	config.MasterKeyFlag `embed:"" group:"settings"`

	ID int64 `arg:"" placeholder:"ID" help:"Number of the term, as webapp terms list prints it."`
}

// Run removes the term and prints it.
func (c *termsRemove) Run(ctx context.Context, p *program) error {
	if c.ID < 1 {
		return usage("<id>: %d is not the number of a term; webapp terms list shows them", c.ID)
	}
	return p.act(ctx, needTerms, func(o opened) error {
		removed, err := agreements.RemoveTerm(ctx, o.store, c.ID, operatorAudit())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, printable("removed: "+termWords(removed)))
		return err
	})
}
