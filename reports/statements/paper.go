package statements

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/pdf"
	"rebatedesk/reports/phrase"
	stored "rebatedesk/store/statements"
)

// NoUnit says what the amounts of sub-affiliates are in.
const NoUnit = "The exchange states no unit or coin for its amounts of sub-affiliates, so none is printed, and nothing was converted."

// UnitWords says what the amounts of a statement are in.
func UnitWords(c stored.Content) string {
	if c.Coin() == "" {
		return NoUnit
	}
	return "The exchange states no unit or coin for its amounts of sub-affiliates, so none is printed. What is owed is in " + string(c.Coin()) + ", as agreed; nothing was converted."
}

// Owed prints an exact amount that a statement says is owed, with its coin if one is agreed.
func Owed(n affiliate.Number, c stored.Content) string {
	if coin := c.Coin(); coin != "" && n.Known() {
		return Exact(n) + phrase.Space + string(coin)
	}
	return Exact(n)
}

// Days returns the days of a statement's month.
func Days(c stored.Content) affiliate.Days {
	first, err := affiliate.ParseDay(c.Month + "-01")
	if err != nil {
		return affiliate.Days{First: 0, Last: -1}
	}
	return WholeMonth(first)
}

// PDF prints a statement. Equal content and letterhead give equal bytes.
func PDF(c stored.Content, head pdf.Letterhead) ([]byte, error) {
	days := Days(c)
	title := "Statement " + c.Number
	p := pdf.New(pdf.Properties{Title: title, Author: c.Sender.Name, Created: c.Issued.Time()}, head)
	p.Address(payeeLines(c)...)
	p.Heading(title)
	fields := []pdf.Field{
		{Label: "Sub-affiliate", Value: string(c.UID)},
		{Label: "Month", Value: fmt.Sprintf("%s: %s to %s, UTC days", days.First.Format("January 2006"), days.First.Format("2 January"), days.Last.Format("2 January 2006"))},
		{Label: "Issued", Value: phrase.Clock(c.Issued.Time(), time.UTC)},
		{Label: "Figures as of", Value: phrase.Clock(c.AsOf.Time(), time.UTC)},
	}
	if c.Corrects != nil {
		fields = append(fields, pdf.Field{Label: "Corrects", Value: fmt.Sprintf("Statement %s of %s", c.Corrects.Number, phrase.Clock(c.Corrects.Issued.Time(), time.UTC))})
	}
	p.Fields(fields...)
	p.Emphasis(DueWords(c))
	for _, line := range CorrectionWords(c) {
		p.Paragraph(line)
	}
	if len(c.Lacks) > 0 {
		p.Emphasis("This statement is incomplete.")
		p.Paragraph(strings.Join(c.Lacks, "\n") + "\nIt was issued all the same: " + c.Reason)
	}
	p.Subheading("Totals")
	p.Table(totalsTable(c))
	p.Note("Net trading fee: of the trades that came through the sub-affiliate. Paid by the exchange: what the exchange says that it paid the sub-affiliate itself; it is no part of what is owed. Owed: fee × agreed share, exact. " + UnitWords(c))
	if len(c.Terms) > 0 {
		p.Subheading("Agreed terms")
		p.Table(termsTable(c))
	}
	if c.Payee.Payment != "" {
		p.Subheading("Payment details")
		p.Paragraph(c.Payee.Payment)
	}
	p.Signatures("Place and date", signedFor(c))
	if c.Corrects != nil && len(c.Corrects.Changes) > 0 {
		p.Subheading("What changed since statement " + c.Corrects.Number)
		p.Table(changesTable(c))
	}
	p.Subheading("By day and product")
	p.Table(linesTable(c))
	if missing := p.Substituted(); len(missing) > 0 {
		p.Note("Characters that the typeface lacks are printed as their Unicode numbers in brackets.")
	}
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

func payeeLines(c stored.Content) []string {
	name := c.Payee.Name
	if name == "" {
		name = "Sub-affiliate " + string(c.UID)
	}
	lines := []string{name}
	if c.Payee.Address != "" {
		lines = append(lines, strings.Split(c.Payee.Address, "\n")...)
	}
	return lines
}

func signedFor(c stored.Content) string {
	if c.Sender.Name == "" {
		return "Signature"
	}
	return "For " + c.Sender.Name
}

// DueWords says what a statement is about, in a sentence.
func DueWords(c stored.Content) string {
	total, days := c.Total(), Days(c)
	payer, payee, due := issuer(c), payeeOf(c), total.Due.Decimal()
	verb := "owe"
	if payer != "We" {
		verb = "owes"
	}
	if due.IsNegative() {
		due = due.Neg()
		if payer, payee, verb = payee, payer, "owes"; payee == "We" {
			payee = "us"
		}
	}
	words := phrase.Capital(fmt.Sprintf("%s %s %s to %s for %s: the agreed share of a net trading fee of %s.",
		payer, verb, Owed(numberOf(due), c), payee, days.First.Format("January 2006"), Exact(total.Fee)))
	if total.Paid.Known() && !total.Paid.IsZero() {
		words += fmt.Sprintf(" What the exchange paid the sub-affiliate itself, %s, is no part of it.", Exact(total.Paid))
	}
	return words
}

// issuer names who issues a statement, as the subject of a sentence.
func issuer(c stored.Content) string { return cmp.Or(c.Sender.Name, "We") }

// payeeOf names the sub-affiliate of a statement in a sentence.
func payeeOf(c stored.Content) string {
	return cmp.Or(c.Payee.Name, "sub-affiliate "+string(c.UID))
}

// CorrectionWords says how a correction stands to the statement before.
func CorrectionWords(c stored.Content) []string {
	k := c.Corrects
	if k == nil {
		return nil
	}
	words := []string{fmt.Sprintf("This statement replaces statement %s, which stated %s. The difference is %s.", k.Number, Exact(k.Due), signed(k.Difference))}
	if k.PaidOn == "" {
		return append(words, fmt.Sprintf("Statement %s is not noted as paid: what this statement says is due in all.", k.Number))
	}
	owed := k.Difference.Decimal()
	paid := fmt.Sprintf("Statement %s was paid on %s (%s): ", k.Number, k.PaidOn, k.Reference)
	switch {
	case owed.IsPositive():
		return append(words, paid+Owed(k.Difference, c)+" is still to be paid to "+payeeOf(c)+".")
	case owed.IsNegative():
		return append(words, paid+Owed(numberOf(owed.Neg()), c)+" was paid too much, and "+payeeOf(c)+" owes it back.")
	}
	return append(words, paid+"neither side owes anything more.")
}

func totalsTable(c stored.Content) pdf.Table {
	t := pdf.Table{Columns: []pdf.Column{
		{Title: "Product"}, {Title: "Days with business", Right: true}, {Title: "Trading volume", Right: true}, {Title: "Net trading fee", Right: true},
		{Title: "Paid by the exchange", Right: true}, {Title: "Owed", Right: true},
	}}
	for _, total := range c.Totals {
		name, to := total.Product.Label(), &t.Rows
		if total.Product == "" {
			name, to = "Total", &t.Totals
		}
		*to = append(*to, []string{name, strconv.Itoa(total.Days), Exact(total.Volume), Exact(total.Fee), Exact(total.Paid), Exact(total.Due)})
	}
	return t
}

func termsTable(c stored.Content) pdf.Table {
	t := pdf.Table{Columns: []pdf.Column{{Title: "Term"}, {Title: "Agreed with"}, {Title: "Share", Right: true}, {Title: "From"}, {Title: "To"}, {Title: "Note and reference"}}}
	for _, term := range c.Terms {
		note := strings.Join(strings.Fields(term.Note+"\n"+term.Reference), " ")
		t.Rows = append(t.Rows, []string{strconv.Itoa(term.Number), phrase.Capital(term.About), SharePercent(term.Rate), term.From, orUntil(term.To), note})
	}
	return t
}

func orUntil(day string) string {
	if day == "" {
		return "until further notice"
	}
	return day
}

func changesTable(c stored.Content) pdf.Table {
	accounts := severalAccounts(c)
	t := pdf.Table{Columns: []pdf.Column{{Title: "Day"}}}
	if accounts {
		t.Columns = append(t.Columns, pdf.Column{Title: "Account"})
	}
	t.Columns = append(t.Columns, pdf.Column{Title: "Product"}, pdf.Column{Title: "Fee before", Right: true}, pdf.Column{Title: "Fee now", Right: true},
		pdf.Column{Title: "Owed before", Right: true}, pdf.Column{Title: "Owed now", Right: true})
	for _, l := range c.Corrects.Changes {
		row := []string{l.Day}
		if accounts {
			row = append(row, string(l.Account))
		}
		t.Rows = append(t.Rows, append(row, l.Product.Label(), Exact(l.FeeBefore), Exact(l.FeeAfter), Exact(l.DueBefore), Exact(l.DueAfter)))
	}
	return t
}

func linesTable(c stored.Content) pdf.Table {
	accounts := severalAccounts(c)
	t := pdf.Table{Columns: []pdf.Column{{Title: "Day"}}, Empty: "The exchange reports no business."}
	if accounts {
		t.Columns = append(t.Columns, pdf.Column{Title: "Account"})
	}
	t.Columns = append(t.Columns, pdf.Column{Title: "Product"}, pdf.Column{Title: "Trading volume", Right: true}, pdf.Column{Title: "Net trading fee", Right: true},
		pdf.Column{Title: "Paid by the exchange", Right: true}, pdf.Column{Title: "Term", Right: true}, pdf.Column{Title: "Share", Right: true}, pdf.Column{Title: "Owed", Right: true})
	for _, l := range c.Lines {
		row := []string{l.Day}
		if accounts {
			row = append(row, string(l.Account))
		}
		term, rate := phrase.Dash, phrase.Dash
		if l.Term > 0 {
			term, rate = strconv.Itoa(l.Term), SharePercent(l.Rate)
		}
		t.Rows = append(t.Rows, append(row, l.Product.Label(), Exact(l.Volume), Exact(l.Fee), Exact(l.Paid), term, rate, Exact(l.Due)))
	}
	if total := c.Total(); len(c.Lines) > 0 {
		row := []string{"Total"}
		if accounts {
			row = append(row, "")
		}
		t.Totals = [][]string{append(row, "", Exact(total.Volume), Exact(total.Fee), Exact(total.Paid), "", "", Exact(total.Due))}
	}
	return t
}

func severalAccounts(c stored.Content) bool {
	for _, l := range c.Lines {
		if l.Account != c.Lines[0].Account {
			return true
		}
	}
	return false
}

// Exact is an amount with all its digits, grouped; a dash if it is not known.
func Exact(n affiliate.Number) string {
	if !n.Known() {
		return phrase.Dash
	}
	return affiliate.Grouped(string(n))
}

// SharePercent is a share in percent with all its digits.
func SharePercent(n affiliate.Number) string { return n.Decimal().Shift(2).String() + " %" }

func signed(n affiliate.Number) string { return phrase.Signed(n.Decimal()) }
