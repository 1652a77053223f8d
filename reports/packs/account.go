package packs

import (
	"io"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/pdf"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
)

// WriteAccount prints a statement of account as PDF. Equal statements give equal bytes.
func WriteAccount(w io.Writer, a payments.Account, head pdf.Letterhead) error {
	title := "Statement of account"
	p := pdf.New(pdf.Properties{Title: title, Author: head.Name, Created: a.Now.Time()}, head)
	p.Heading(title)
	p.Fields(
		pdf.Field{Label: "Days", Value: phrase.Days(a.Days) + ", UTC"},
		pdf.Field{Label: "As known", Value: phrase.Second(a.Now.Time(), time.UTC)},
	)
	if len(a.Entries) == 0 {
		p.Paragraph("Nothing has fallen due, and nothing was paid.")
	}
	for rest := a.Entries; len(rest) > 0; {
		n := 1 + slices.IndexFunc(rest, func(e payments.Entry) bool { return e.Kind == payments.Closing })
		printAccount(p, rest[:n])
		rest = rest[n:]
	}
	p.Note("Positive: the exchange owes. Commission counts from the time when its payment was due, or from its first payment if that came before. Amounts are exact; times are in UTC.")
	return p.Write(w)
}

// printAccount prints the entries of one account and coin.
func printAccount(p *pdf.Paper, entries []payments.Entry) {
	first, last := &entries[0], &entries[len(entries)-1]
	coin := affiliate.OneLine(string(first.Coin))
	p.Subheading("Account " + affiliate.OneLine(string(first.Account)) + ", " + coin)
	words := "The exchange owes " + last.Balance.String() + " " + coin + "."
	var zero affiliate.Sum
	switch last.Balance.Cmp(&zero) {
	case 0:
		words = "Nothing is owed."
	case -1:
		over := last.Balance.Negated()
		words = "The exchange has paid " + over.String() + " " + coin + " more than it owes."
	}
	p.Emphasis(words)
	var earned, paid affiliate.Sum
	rows := make([][]string, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		row := []string{e.At.Time().UTC().Format("2006-01-02 15:04"), "", "", "", e.Balance.String()}
		switch e.Kind {
		case payments.Opening:
			row[1] = "Balance before"
		case payments.Closing:
			row[1] = "Balance"
		case payments.Fell:
			row[1], row[2] = "Commission of "+phrase.PaymentPeriod(e.From, e.To)+", "+kindWords[e.Of], e.Amount.String()
			earned.AddSum(e.Amount)
		default:
			amount := e.Amount.Negated()
			row[1], row[3] = "Bill "+affiliate.OneLine(e.Bill.ID)+" for "+periodOf(e), amount.String()
			paid.AddSum(amount)
		}
		rows = append(rows, row)
	}
	p.Table(pdf.Table{Columns: []pdf.Column{{Title: "Time (UTC)"}, {Title: "Entry"}, {Title: "Fell due", Right: true}, {Title: "Paid", Right: true}, {Title: "Balance", Right: true}},
		Rows: rows, Totals: [][]string{{"", "Sums", earned.String(), paid.String(), ""}}})
}

func periodOf(e *payments.Entry) string {
	if e.From == e.To {
		return "no period"
	}
	return phrase.PaymentPeriod(e.From, e.To)
}
