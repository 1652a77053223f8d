package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// The columns of the exports are fixed: programs of others read them.
var commissionColumns = []column[store.CommissionRow]{
	timeColumn("deal_time_utc", func(r *store.CommissionRow) affiliate.Millis { return r.DealTime }),
	integerColumn("deal_time_ms", func(r *store.CommissionRow) int64 { return int64(r.DealTime) }),
	textColumn("account", func(r *store.CommissionRow) affiliate.Account { return r.Account }),
	uidColumn("uid", func(r *store.CommissionRow) affiliate.UID { return r.UID }),
	textColumn("invite_code", func(r *store.CommissionRow) string { return r.InviteCode }),
	textColumn("product_type", func(r *store.CommissionRow) affiliate.Product { return r.Product }),
	textColumn("symbol", func(r *store.CommissionRow) string { return r.Symbol }),
	textColumn("source_type", func(r *store.CommissionRow) affiliate.Source { return r.Source }),
	coinColumn("coin", func(r *store.CommissionRow) affiliate.Coin { return r.Coin }),
	amountColumn("taker_amount", func(r *store.CommissionRow) affiliate.Number { return r.TakerAmount }),
	amountColumn("maker_amount", func(r *store.CommissionRow) affiliate.Number { return r.MakerAmount }),
	amountColumn("fee", func(r *store.CommissionRow) affiliate.Number { return r.Fee }),
	decimalColumn("rate", func(r *store.CommissionRow) affiliate.Number { return r.Rate }),
	amountColumn("commission", func(r *store.CommissionRow) affiliate.Number { return r.Commission.Commission }),
	timeColumn("first_seen_utc", func(r *store.CommissionRow) affiliate.Millis { return r.FirstSeen }),
}

func commissionTable(ctx context.Context, q *question) (table, error) {
	order := store.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	return tableOf(commissionColumns, q.Tx.Commissions(ctx, q.filter(), order, 0, 0)), nil
}

var dailyColumns = []column[store.DaySums]{
	dayColumn("date", func(d *store.DaySums) affiliate.Day { return d.Day }),
	textColumn("account", func(d *store.DaySums) affiliate.Account { return d.Account }),
	textColumn("product_type", func(d *store.DaySums) affiliate.Product { return d.Product }),
	coinColumn("coin", func(d *store.DaySums) affiliate.Coin { return d.Coin }),
	textColumn("source_type", func(d *store.DaySums) affiliate.Source { return d.Source }),
	countColumn("records", func(d *store.DaySums) int64 { return d.Records }),
	amountColumn("fee", func(d *store.DaySums) affiliate.Number { return d.Fee }),
	amountColumn("commission", func(d *store.DaySums) affiliate.Number { return d.Commission }),
	amountColumn("taker_amount", func(d *store.DaySums) affiliate.Number { return d.TakerAmount }),
	amountColumn("maker_amount", func(d *store.DaySums) affiliate.Number { return d.MakerAmount }),
}

func dailyTable(ctx context.Context, q *question) (table, error) {
	sums, err := q.DaySums(ctx, q.filter())
	return tableOf(dailyColumns, each(sums)), err
}
