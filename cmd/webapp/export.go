package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rebatedesk/reports/changes"
	"rebatedesk/reports/worklist"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
)

// exportCommand writes one table of stored records.
type exportCommand struct {
	config.StoreFlags  `embed:"" group:"settings"`
	config.ReportFlags `embed:"" group:"settings"`

	Kind string `arg:"" enum:"commissions,invitees,sub-affiliates,daily,bills,payments,balance,account,income,income-koinly,income-cointracking,changes,rates,worklist,people" help:"commissions, invitees, sub-affiliates, daily, bills, payments, balance, account, income, income-koinly, income-cointracking, changes, rates, worklist or people."`

	From    string `placeholder:"DAY" help:"First reporting day; invitees by day of registration. Income by reporting day of receipt. Sub-affiliates, bills, payments, balance and account by UTC day; of payments every period of which a part lies in the range. Default: all that is stored."`
	To      string `placeholder:"DAY" help:"Last day, included."`
	Account string `placeholder:"NAME" help:"Only this account."`
	Product string `placeholder:"TYPE" help:"Only SPOT or FUTURES."`
	Coin    string `placeholder:"CODE" help:"Only this coin."`
	UID     string `name:"uid" placeholder:"UID" help:"Only this invitee or sub-affiliate."`
	Symbol  string `placeholder:"PAIR" help:"Only this trading pair."`
	Source  string `placeholder:"SOURCE" help:"Only direct or sub."`
	Code    string `placeholder:"CODE" help:"Only this invite code."`
	Segment string `placeholder:"NAME" help:"Only the invitees of this segment."`
	AsOf    string `placeholder:"TIME" help:"The state known at this time, RFC 3339, or at the end of this day."`
	Since   string `placeholder:"TIME" help:"Of changes, which need it: what became known after this time, RFC 3339, or from this day on."`
	Until   string `placeholder:"TIME" help:"Of changes: what became known up to this time, RFC 3339, or to the end of this day. Default: now."`

	Format   string `enum:"csv,xlsx,json,jsonl,parquet" default:"csv" help:"csv, xlsx, json, jsonl or parquet. Default: ${default}."`
	Output   string `short:"o" placeholder:"FILE" help:"File, or folder for a file with a telling name. Default: stdout."`
	Manifest string `placeholder:"FILE" help:"Write what was exported, its rows, sums and checksum, to this file."`
}

// Help says what a row of each kind is.
func (c *exportCommand) Help() string {
	return "A row of each kind:\n\n" +
		"commissions: a commission record, oldest first.\n\n" +
		"invitees: an invited user, with what follows from its commission: state, days silent, usual gap, lifetime commission, commission at risk.\n\n" +
		"sub-affiliates: a sub-affiliate, product and UTC day.\n\n" +
		"daily: a reporting day, account, product, coin and source, added up exactly.\n\n" +
		"bills: a bill of a wallet, of every business type, by UTC day.\n\n" +
		"payments: a period, account, coin and kind: what was earned, what was paid, and the difference; and a payment without a period.\n\n" +
		"balance: an account and coin: what the exchange owes over the periods that are due, and of what it consists.\n\n" +
		"account: an entry of the statement of account: what fell due or was paid, and the balance after it.\n\n" +
		"income: a bill that paid commission: when it arrived, what, and what that was worth on the day. income-koinly and income-cointracking are the same as these tools import it.\n\n" +
		"changes: a record that differs between --since and --until, with its commission before and after.\n\n" +
		"rates: records of an invitee, product and coin in a row with one agreed and one paid rate.\n\n" +
		"worklist: an invitee to call, with the reason and what is at risk.\n\n" +
		"people: an invitee with a name, tags, an owner or a note: the file that import people reads."
}

// Run writes the table and warns on stderr if it is incomplete.
func (c *exportCommand) Run(ctx context.Context, p *program) error {
	if c.Kind == "people" {
		return c.exportPeople(ctx, p)
	}
	return p.withStore(ctx, config.NeedStore|config.NeedReports, after(c.check, database.OpenExisting), func(o opened) error { return c.export(ctx, p, o) })
}

func (c *exportCommand) export(ctx context.Context, p *program, o opened) (err error) {
	export, err := c.open(ctx, o.cfg, o.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, export.Close()) }()
	if !export.Coverage.Complete() {
		if _, err := fmt.Fprintln(p.stderr, "webapp: warning: "+printable(incompleteWords(export))); err != nil {
			return err
		}
	}
	if err := warnOfFilters(ctx, p, export); err != nil {
		return err
	}
	return c.write(ctx, p, export)
}

// warnOfFilters reports filters that match nothing: a mistyped coin would look like
// one without commission.
func warnOfFilters(ctx context.Context, p *program, export *reports.Export) error {
	unknown, err := export.Unknown(ctx)
	for _, words := range unknown {
		_, told := fmt.Fprintln(p.stderr, "webapp: warning: "+printable(words))
		err = errors.Join(err, told)
	}
	return err
}

// check checks the flags.
func (c *exportCommand) check(cfg config.Config) error {
	now := cfg.Clock()
	query, err := c.query(query.Basis{Now: now, Zone: cfg.Timezone, First: earliestOf(c.To, affiliate.DayOf(now, cfg.Timezone))})
	if err != nil {
		return err
	}
	kind, err := reports.ExportNamed(c.Kind)
	if err != nil {
		return err
	}
	if err := kind.Takes(query); err != nil {
		return flagged(err)
	}
	return c.checkTargets(cfg.DB)
}

// query returns the query described by the flags.
func (c *exportCommand) query(basis query.Basis) (query.Query, error) {
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time"}
	flags := map[string]string{
		"from": c.From, "to": c.To, "account": c.Account, "product": c.Product, "coin": c.Coin, "uid": c.UID,
		"symbol": c.Symbol, "source": c.Source, "code": c.Code, "segment": c.Segment, "as_of": c.AsOf, "since": c.Since, "until": c.Until,
	}
	if c.Kind == changes.File.Name {
		basis.Since = true
		switch {
		case c.Since == "":
			return query.Query{}, usage("--since: an export of changes needs the time since which they became known, such as 2026-09-07T12:00:00Z or 2026-09-07")
		case c.AsOf != "":
			return query.Query{}, usage("--as-of: does not apply to an export of changes; give the later state with --until")
		}
	} else if c.Kind == worklist.File.Name && (c.From != "" || c.To != "") {
		return query.Query{}, usage("--from and --to: the worklist is about the present; give an earlier state with --as-of")
	} else if c.Since != "" || c.Until != "" {
		return query.Query{}, usage("--since and --until: only an export of changes takes them; give the state of %s with --as-of", c.Kind)
	}
	if c.From == "" && c.To == "" {
		flags["range"] = string(query.AllTime)
	}
	return readFilters(flags, basis)
}

// open opens the export.
func (c *exportCommand) open(ctx context.Context, cfg config.Config, st *store.Store) (*reports.Export, error) {
	service := newReports(cfg, st)
	basis, err := service.Basis(ctx)
	if err != nil {
		return nil, err
	}
	query, err := c.query(basis)
	if err != nil {
		return nil, err
	}
	if query.Names, err = reports.NamesFor(ctx, service, true); err != nil {
		return nil, err
	}
	kind, err := reports.ExportNamed(c.Kind)
	if err != nil {
		return nil, err
	}
	export, err := service.OpenExport(ctx, kind, query)
	return export, flagged(err)
}

// incompleteWords says what is missing from an export.
func incompleteWords(e *reports.Export) string {
	words := phrase.DaysIn(e.Query.Days, e.Query.Zone) + " is not collected completely: " + phrase.Lack(e.Coverage)
	for i, gap := range e.Coverage.Gaps {
		if i == 5 {
			return words + fmt.Sprintf("; and %d more gaps", len(e.Coverage.Gaps)-i)
		}
		words += fmt.Sprintf("; missing %s %s to %s", gap.Stream, gap.Days.First, gap.Days.Last)
		if gap.Reason != "" {
			words += " (" + gap.Reason + ")"
		}
	}
	return words
}

// write writes to stdout or to a file, which is written completely or not at all.
func (c *exportCommand) write(ctx context.Context, p *program, e *reports.Export) error {
	format := export.Format(c.Format)
	sum := newChecksum()
	var summary export.RowTally
	write := func(w io.Writer) (err error) {
		summary, err = e.Write(ctx, io.MultiWriter(w, sum), format)
		return err
	}
	var err error
	if c.Output == "" || c.Output == "-" {
		err = write(p.stdout)
	} else {
		err = writeTo(c.Output, e.FileName(format), write)
	}
	if err != nil || c.Manifest == "" {
		return err
	}
	return writeTo(c.Manifest, "manifest.json", reports.ManifestOf(e, format, summary, sum.bytes, hex.EncodeToString(sum.Sum(nil))).Write)
}

// writeTo writes to a file, or to a file called name in a folder. It writes into a
// pipe or device directly, which cannot be replaced.
func writeTo(path, name string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return replaceFile(filepath.Join(path, name), write)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		// A file created in the meantime would be partly overwritten.
		if info, err = f.Stat(); err == nil && info.Mode().IsRegular() {
			err = fmt.Errorf("%s became a file meanwhile", path)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		return errors.Join(write(f), f.Close())
	}
	return replaceFile(path, write)
}

// replaceFile puts a file in place only after it was written completely.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
