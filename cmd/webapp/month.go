package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/reports"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/closings"
)

// monthCommand is about closed months.
type monthCommand struct {
	Close  monthClose  `cmd:"" help:"Close a month: freeze what is known of it."`
	List   monthList   `cmd:"" help:"List the months: which can be closed, which are, and what became known since."`
	Reopen monthReopen `cmd:"" help:"Reopen a closed month."`
	Pack   monthPack   `cmd:"" help:"Write the evidence pack of a closed month: the same bytes each time."`
	Check  monthCheck  `cmd:"" help:"Check an evidence pack; needs no database and no settings."`
}

// monthFlags are the settings of the commands that need the database.
type monthFlags struct {
	config.StoreFlags  `embed:"" group:"settings"`
	config.ReportFlags `embed:"" group:"settings"`
}

const needMonths = config.NeedStore | config.NeedReports

// monthArgument is the month that a command is about.
type monthArgument struct {
	Month string `arg:"" help:"The month, as in 2026-10."`
}

func (c *monthArgument) first() (affiliate.Day, error) {
	first, ok := months.Parse(c.Month)
	if !ok {
		return 0, usage("<month>: %q is not a month such as 2026-10", c.Month)
	}
	return first, nil
}

type monthClose struct {
	monthFlags
	config.MasterKeyFlag `embed:"" group:"settings"`
	monthArgument

	Incomplete bool   `help:"Close the month although days are missing or may still change. Needs --reason."`
	Reason     string `placeholder:"TEXT" help:"Why the month is closed incomplete; of a complete month a note."`
}

// Run closes the month and prints its sums. If the month is not collected and settled, nothing is
// done and the status is that of an incomplete result.
func (c *monthClose) Run(ctx context.Context, p *program) error {
	first, err := c.first()
	if err != nil {
		return err
	}
	if c.Incomplete && c.Reason == "" {
		return usage("--incomplete: say why with --reason")
	}
	if c.Reason != "" {
		if _, err := closings.CheckReason(c.Reason); err != nil {
			return misused(err)
		}
	}
	return p.act(ctx, needMonths, func(o opened) error {
		service := newReports(o.cfg, o.store)
		closing, err := service.CloseMonth(ctx, first, c.Incomplete, c.Reason, operatorAudit())
		if open, ok := errors.AsType[*reports.NotClosableError](err); ok {
			return notClosable(open, c.Incomplete)
		}
		if err != nil {
			return err
		}
		return p.printClosing(closing)
	})
}

// notClosable says what a month lacks. One that is not over cannot be closed incomplete either.
func notClosable(e *reports.NotClosableError, incomplete bool) error {
	if incomplete {
		return usage("--incomplete: %s", e.Lacks[0])
	}
	causes := append([]string{phrase.MonthName(e.Month) + " was not closed:"}, e.Lacks...)
	if e.Over {
		causes = append(causes, "To close it all the same: webapp month close "+closings.MonthText(e.Month)+" --incomplete --reason TEXT")
	}
	return &incompleteError{causes}
}

// printClosing prints a closing, one fact per line.
func (p *program) printClosing(c closings.Closing) error {
	state := months.Closed
	if !c.Complete {
		state = months.ClosedIncomplete
	}
	lines := []string{"month: " + closings.MonthText(c.Month), "state: " + string(state), "known: " + c.Known.String(), "zone: " + c.Zone}
	for _, sum := range c.Sums {
		line := fmt.Sprintf("sum: %s %s %s %s: %d records", sum.Account, sum.Product, sum.Source, sum.Coin, sum.Records)
		for place, f := range affiliate.SummedFields {
			if amount := *sum.All()[place]; f.Kind == affiliate.AmountField && amount.Known() {
				line += fmt.Sprintf(", %s %s", strings.ReplaceAll(f.Column, "_", " "), amount)
			}
		}
		lines = append(lines, line)
	}
	for _, words := range c.Proof {
		lines = append(lines, "proof: "+words)
	}
	if c.Reason != "" {
		lines = append(lines, "reason: "+c.Reason)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(p.stdout, printable(line)); err != nil {
			return err
		}
	}
	return nil
}

type monthList struct {
	monthFlags

	JSON bool `name:"json" help:"Print JSON, with exact sums."`
}

// Run prints the months, the newest first.
func (c *monthList) Run(ctx context.Context, p *program) error {
	return p.withStore(ctx, needMonths, database.OpenExisting, func(o opened) error {
		service := newReports(o.cfg, o.store)
		basis, err := service.Basis(ctx)
		if err != nil {
			return err
		}
		basis.AcceptedParams = months.Accepted
		asked, err := query.Parse(nil, basis)
		if err != nil {
			return err
		}
		list, err := reports.Ask(ctx, service, asked, months.Make)
		if err != nil {
			return err
		}
		if c.JSON {
			encoder := json.NewEncoder(p.stdout)
			encoder.SetEscapeHTML(false)
			return encoder.Encode(months.JSONOf(list))
		}
		return p.printMonths(list)
	})
}

func (p *program) printMonths(list months.List) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "MONTH\tSTATE\tCLOSED\tBY\tAS CLOSED\tAFTER CLOSE\tNOW"); err != nil {
		return err
	}
	for i := range list.Months {
		m := &list.Months[i]
		closed, by, was, after := "-", "-", "-", "-"
		if m.Closing != nil {
			closed, by = m.Closing.Closed.String(), dash(m.Closing.Actor)
			was = exactSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.Closed.Commission })
			after = exactSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.After() })
		}
		now := exactSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.Now.Commission })
		line := closings.MonthText(m.First()) + "\t" + string(m.State) + "\t" + closed + "\t" + by + "\t" + was + "\t" + after + "\t" + now
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// exactSums lists sums by coin.
func exactSums(coins []months.MonthCoin, of func(*months.MonthCoin) affiliate.Sum) (text string) {
	for i := range coins {
		if i > 0 {
			text += ", "
		}
		sum := of(&coins[i])
		text += sum.String() + " " + string(coins[i].Coin)
	}
	return dash(text)
}

type monthReopen struct {
	monthFlags
	config.MasterKeyFlag `embed:"" group:"settings"`
	monthArgument

	Reason string `required:"" placeholder:"TEXT" help:"Why the month is reopened."`
}

// Run reopens the month. Its closing stays stored.
func (c *monthReopen) Run(ctx context.Context, p *program) error {
	first, err := c.first()
	if err != nil {
		return err
	}
	if _, err := closings.CheckReason(c.Reason); err != nil {
		return misused(err)
	}
	return p.act(ctx, needMonths, func(o opened) error {
		if err := closings.ReopenMonth(ctx, o.store, first, c.Reason, operatorAudit()); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.stdout, "month: %s\nstate: %s\n", closings.MonthText(first), months.Reopened)
		return err
	})
}
