package payments

import (
	"context"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
)

// The columns of the exports are fixed, because other programs read them.
var paymentColumns = []export.Column[PaymentLine]{
	export.TimeColumn("period_from_utc", func(l *PaymentLine) affiliate.Millis { return l.From }).Means("First instant of the period, UTC."),
	export.TimeColumn("period_to_utc", func(l *PaymentLine) affiliate.Millis { return l.To }).Means("End of the period, UTC, not included."),
	export.TextColumn("account", func(l *PaymentLine) affiliate.Account { return l.Account }),
	export.CoinColumn("coin", func(l *PaymentLine) affiliate.Coin { return l.Coin }),
	export.TextColumn("kind", func(l *PaymentLine) books.Kind { return l.Kind }).Means("direct, sub or all."),
	export.AmountColumn("earned", func(l *PaymentLine) affiliate.Number { return number(l.Earned) }).Means("Commission that was earned in the period, in coin."),
	export.AmountColumn("paid", func(l *PaymentLine) affiliate.Number { return number(l.Paid) }).Means("What was paid for it, in coin."),
	export.AmountColumn("difference", func(l *PaymentLine) affiliate.Number { return number(l.Difference()) }),
	export.TextColumn("state", func(l *PaymentLine) books.State { return l.State }).Means("matched, short, over, missing, twice, late, pending or unexplained."),
	export.CountColumn("bills", func(l *PaymentLine) int64 { return int64(len(l.Bills)) }).Means("Number of bills."),
	export.TimeColumn("first_paid_utc", (*PaymentLine).FirstPaid).Means("First payment, UTC."),
	export.TimeColumn("last_paid_utc", (*PaymentLine).LastPaid).Means("Last payment, UTC."),
}

func number(sum affiliate.Sum) affiliate.Number { return affiliate.Number(sum.String()) }

// File is the file of periods that are paid.
var File = &export.Kind{Name: "payments", Title: "Payments", Stream: affiliate.Commissions,
	About: "What was earned in each period against what was paid, and the bills behind it.",
	UTC:   true, Table: table, Columns: export.Infos(paymentColumns), Covered: covered, Foreign: Foreign, Options: Options,
}

// table has a row for each line of the page, in its order. Without the order of the page, the
// oldest period comes first.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	books, err := openLedger(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	lines := books.selected(q)
	sortLines(lines, q.Sort)
	return export.TableOf(paymentColumns, each(lines)), nil
}

func each(lines []*PaymentLine) iter.Seq2[PaymentLine, error] {
	return func(yield func(PaymentLine, error) bool) {
		for _, line := range lines {
			if !yield(*line, nil) {
				return
			}
		}
	}
}

// covered returns how far both sides of the books are collected in the range.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	earned, paid, err := sides(ctx, q)
	return earned.With(paid), err
}

var billColumns = []export.Column[payments.BillRow]{
	export.TimeColumn("time_utc", func(b *payments.BillRow) affiliate.Millis { return b.Created }).Means("When the bill was made, UTC."),
	export.IntegerColumn("time_ms", func(b *payments.BillRow) int64 { return int64(b.Created) }).Means("The same in milliseconds since 1970."),
	export.TextColumn("account", func(b *payments.BillRow) affiliate.Account { return b.Account }),
	export.TextColumn("wallet", func(b *payments.BillRow) affiliate.Wallet { return b.Wallet }).Means("spot or funding."),
	export.TextColumn("bill_id", func(b *payments.BillRow) string { return b.ID }),
	export.TextColumn("coin_id", func(b *payments.BillRow) string { return b.CoinID }),
	export.CoinColumn("coin", func(b *payments.BillRow) affiliate.Coin { return b.Coin }),
	export.TextColumn("business_type", func(b *payments.BillRow) string { return b.Business }).Means("Type of the bill, as the exchange names it."),
	export.AmountColumn("amount", func(b *payments.BillRow) affiliate.Number { return b.Amount }),
	export.DecimalColumn("balance_after", func(b *payments.BillRow) affiliate.Number { return b.Balance }).Means("Balance after it, in coin."),
	export.TimeColumn("first_seen_utc", func(b *payments.BillRow) affiliate.Millis { return b.FirstSeen }),
}

// BillFile is the file of bills of the account.
var BillFile = &export.Kind{Name: "bills", Stream: affiliate.SpotBills, Settled: true, UTC: true, Wallet: true, Table: billTable, Columns: export.Infos(billColumns), Covered: billsCovered, Foreign: Foreign, Options: Options}

// billTable has a row for each bill of the UTC days of the query, of any business type, oldest
// first.
func billTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	return export.TableOf(billColumns, payments.Bills(ctx, q.Tx, payments.BillFilter{
		Days: q.Days, Account: q.Account, Coin: q.Coin, AsOf: q.AsOfMillis()})), nil
}

// billsCovered returns how far the bills of both wallets are collected in the range.
func billsCovered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	_, paid, err := sides(ctx, q)
	return paid, err
}

// AcceptedOfBills are the parameters of the file of bills.
var AcceptedOfBills = query.AcceptedParams{
	Taken: []string{"range", "from", "to", "account", "coin", "as_of"}, Usual: query.Last90,
}
