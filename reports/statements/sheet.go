package statements

import (
	"bytes"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	stored "rebatedesk/store/statements"
)

var sheetColumns = []export.Column[stored.Line]{
	export.DayColumn("date", func(l *stored.Line) affiliate.Day {
		day, _ := affiliate.ParseDay(l.Day) // written by [draftOf]
		return day
	}),
	export.TextColumn("account", func(l *stored.Line) affiliate.Account { return l.Account }),
	export.TextColumn("product_type", func(l *stored.Line) affiliate.Product { return l.Product }),
	export.AmountColumn("trading_volume", func(l *stored.Line) affiliate.Number { return l.Volume }),
	export.AmountColumn("net_trading_fee", func(l *stored.Line) affiliate.Number { return l.Fee }),
	export.AmountColumn("paid_commission", func(l *stored.Line) affiliate.Number { return l.Paid }),
	export.DecimalColumn("agreed_share", func(l *stored.Line) affiliate.Number { return l.Rate }),
	export.DecimalColumn("owed", func(l *stored.Line) affiliate.Number { return l.Due }), // its sum is among the notes: it can have more decimals than sums hold
	export.KnownColumn("term", func(l *stored.Line) (int, bool) { return l.Term, l.Term > 0 }),
}

// XLSX writes a statement as a workbook: its lines, and a sheet with totals, terms and what
// else the paper says. Equal content gives equal bytes.
func XLSX(c stored.Content) ([]byte, error) {
	days := Days(c)
	facts := export.Metadata{
		Kind: "statement " + c.Number, From: days.First.String(), To: days.Last.String(), Timezone: "UTC",
		AsOf: c.AsOf.Time().UTC().Format(time.RFC3339), Complete: len(c.Lacks) == 0, Lack: strings.Join(c.Lacks, " "),
		Written: c.Issued.Time().UTC().Format(time.RFC3339), Notes: sheetNotes(c),
	}
	rows := func(yield func(stored.Line, error) bool) {
		for _, line := range c.Lines {
			if !yield(line, nil) {
				return
			}
		}
	}
	var file bytes.Buffer
	if _, err := export.Encode(&file, export.XLSX, export.TableOf(sheetColumns, rows), facts); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

func sheetNotes(c stored.Content) [][]string {
	notes := [][]string{{"Statement", c.Number}, {"Sub-affiliate", string(c.UID)}}
	note := func(name string, words ...string) {
		if strings.Join(words, "") != "" {
			notes = append(notes, append([]string{name}, words...))
		}
	}
	note("Payee", c.Payee.Name)
	note("Address", strings.ReplaceAll(c.Payee.Address, "\n", ", "))
	note("Payment details", strings.ReplaceAll(c.Payee.Payment, "\n", ", "))
	note("Issued by", strings.Join(append([]string{c.Sender.Name}, c.Sender.Address...), ", "))
	note("Who owes what", DueWords(c))
	note("Issued incomplete because", c.Reason)
	for _, t := range c.Totals {
		name := "Owed"
		if t.Product != "" {
			name += ", " + t.Product.Label()
		}
		note(name, string(t.Due))
	}
	if c.Corrects != nil {
		note("Corrects statement", c.Corrects.Number)
		note("Owed by that statement", string(c.Corrects.Due))
		note("Difference", string(c.Corrects.Difference))
		note("Statement before paid on", c.Corrects.PaidOn, c.Corrects.Reference)
	}
	for _, t := range c.Terms {
		note("Term", t.About, string(t.Rate), t.From, orUntil(t.To), t.Note, t.Reference)
	}
	note("Unit", UnitWords(c))
	return notes
}
