package rates

import (
	"context"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
)

// The columns of the export are fixed, because other programs read them.
var columns = []export.Column[Line]{
	export.TextColumn("account", func(l *Line) affiliate.Account { return l.Account }),
	export.UIDColumn("uid", func(l *Line) affiliate.UID { return l.UID }),
	export.TextColumn("invite_code", func(l *Line) string { return l.Code }),
	export.TextColumn("product_type", func(l *Line) affiliate.Product { return l.Product }),
	export.CoinColumn("coin", func(l *Line) affiliate.Coin { return l.Coin }),
	export.TimeColumn("from_utc", func(l *Line) affiliate.Millis { return l.From }).Means("First instant, UTC."),
	export.TimeColumn("to_utc", func(l *Line) affiliate.Millis { return l.To }).Means("Last instant, UTC."),
	export.CountColumn("records", func(l *Line) int64 { return l.Records }),
	export.AmountColumn("fee", func(l *Line) affiliate.Number { return affiliate.Number(l.Fee.String()) }),
	export.DecimalColumn("agreed_rate", func(l *Line) affiliate.Number { return affiliate.Number(l.Agreed.String()) }).Means("Rate that was agreed, a fraction."),
	export.DecimalColumn("paid_rate", func(l *Line) affiliate.Number { return l.Paid }).Means("Rate that was paid, a fraction."),
	export.AmountColumn("agreed_commission", func(l *Line) affiliate.Number { return judgedOnly(l, l.Due.String()) }).Means("Fee × agreed rate, in coin.").Fine(),
	export.AmountColumn("commission", func(l *Line) affiliate.Number { return affiliate.Number(l.Commission.String()) }),
	export.AmountColumn("difference", func(l *Line) affiliate.Number { return judgedOnly(l, l.Difference().String()) }).Fine(),
	export.TextColumn("term", termName).Means("The agreed term that applies."),
}

// judgedOnly returns an amount, or unknown if the line is not judged.
func judgedOnly(l *Line, amount string) affiliate.Number {
	if l.Unjudged {
		return ""
	}
	return affiliate.Number(amount)
}

// termName returns the number of the term; empty if none applies.
func termName(l *Line) string {
	if l.Term.ID == 0 {
		return ""
	}
	return strconv.FormatInt(l.Term.ID, 10)
}

// File is the file of agreed and paid rates.
var File = &export.Kind{Name: "rates", Title: "Rates", Stream: affiliate.Commissions,
	About:   "Agreed rates against paid rates.",
	Settled: true, Table: table, Columns: export.Infos(columns),
}

// table has a row for each line of the page, in its order.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	a, err := judged(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	lines, _ := a.lines()
	if err := fillTimes(ctx, q, pointers(lines)); err != nil {
		return export.Table{}, err
	}
	sortLines(lines, q.Sort)
	return export.TableOf(columns, export.Each(lines)), nil
}

// LineTable lays lines out as in the export of rates.
func LineTable(lines []Line) export.Table { return export.TableOf(columns, export.Each(lines)) }
