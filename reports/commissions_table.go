package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// The columns of the exports are fixed: programs of others read them.
var commissionColumns = []column[records.CommissionRow]{
	timeColumn("deal_time_utc", func(r *records.CommissionRow) affiliate.Millis { return r.DealTime }),
	integerColumn("deal_time_ms", func(r *records.CommissionRow) int64 { return int64(r.DealTime) }),
	textColumn("account", func(r *records.CommissionRow) affiliate.Account { return r.Account }),
	uidColumn("uid", func(r *records.CommissionRow) affiliate.UID { return r.UID }),
	textColumn("invite_code", func(r *records.CommissionRow) string { return r.InviteCode }),
	textColumn("product_type", func(r *records.CommissionRow) affiliate.Product { return r.Product }),
	textColumn("symbol", func(r *records.CommissionRow) string { return r.Symbol }),
	textColumn("source_type", func(r *records.CommissionRow) affiliate.Source { return r.Source }),
	coinColumn("coin", func(r *records.CommissionRow) affiliate.Coin { return r.Coin }),
	amountColumn("taker_amount", func(r *records.CommissionRow) affiliate.Number { return r.TakerAmount }),
	amountColumn("maker_amount", func(r *records.CommissionRow) affiliate.Number { return r.MakerAmount }),
	amountColumn("fee", func(r *records.CommissionRow) affiliate.Number { return r.Fee }),
	decimalColumn("rate", func(r *records.CommissionRow) affiliate.Number { return r.Rate }),
	amountColumn("commission", func(r *records.CommissionRow) affiliate.Number { return r.Commission.Commission }),
	timeColumn("first_seen_utc", func(r *records.CommissionRow) affiliate.Millis { return r.FirstSeen }),
}

func commissionTable(ctx context.Context, q *question) (table, error) {
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	return tableOf(commissionColumns, records.Commissions(ctx, q.Tx, q.filter(), order, 0, 0)), nil
}

var dailyColumns = []column[sums.DaySums]{
	dayColumn("date", func(d *sums.DaySums) affiliate.Day { return d.Day }),
	textColumn("account", func(d *sums.DaySums) affiliate.Account { return d.Account }),
	textColumn("product_type", func(d *sums.DaySums) affiliate.Product { return d.Product }),
	coinColumn("coin", func(d *sums.DaySums) affiliate.Coin { return d.Coin }),
	textColumn("source_type", func(d *sums.DaySums) affiliate.Source { return d.Source }),
	countColumn("records", func(d *sums.DaySums) int64 { return d.Records }),
	amountColumn("fee", func(d *sums.DaySums) affiliate.Number { return d.Fee }),
	amountColumn("commission", func(d *sums.DaySums) affiliate.Number { return d.Commission }),
	amountColumn("taker_amount", func(d *sums.DaySums) affiliate.Number { return d.TakerAmount }),
	amountColumn("maker_amount", func(d *sums.DaySums) affiliate.Number { return d.MakerAmount }),
}

func dailyTable(ctx context.Context, q *question) (table, error) {
	totals, err := sums.ByDay(ctx, q.Tx, q.filter())
	return tableOf(dailyColumns, each(totals)), err
}
