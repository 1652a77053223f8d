package commissions

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// The columns of the exports are fixed, because other programs read them.
var commissionColumns = []export.Column[records.CommissionRow]{
	export.TimeColumn("deal_time_utc", func(r *records.CommissionRow) affiliate.Millis { return r.DealTime }),
	export.IntegerColumn("deal_time_ms", func(r *records.CommissionRow) int64 { return int64(r.DealTime) }),
	export.TextColumn("account", func(r *records.CommissionRow) affiliate.Account { return r.Account }),
	export.UIDColumn("uid", func(r *records.CommissionRow) affiliate.UID { return r.UID }),
	export.TextColumn("invite_code", func(r *records.CommissionRow) string { return r.InviteCode }),
	export.TextColumn("product_type", func(r *records.CommissionRow) affiliate.Product { return r.Product }),
	export.TextColumn("symbol", func(r *records.CommissionRow) string { return r.Symbol }),
	export.TextColumn("source_type", func(r *records.CommissionRow) affiliate.Source { return r.Source }),
	export.CoinColumn("coin", func(r *records.CommissionRow) affiliate.Coin { return r.Coin }),
	export.AmountColumn("taker_amount", func(r *records.CommissionRow) affiliate.Number { return r.TakerAmount }),
	export.AmountColumn("maker_amount", func(r *records.CommissionRow) affiliate.Number { return r.MakerAmount }),
	export.AmountColumn("fee", func(r *records.CommissionRow) affiliate.Number { return r.Fee }),
	export.DecimalColumn("rate", func(r *records.CommissionRow) affiliate.Number { return r.Rate }),
	export.AmountColumn("commission", func(r *records.CommissionRow) affiliate.Number { return r.Commission.Commission }),
	export.TimeColumn("first_seen_utc", func(r *records.CommissionRow) affiliate.Millis { return r.FirstSeen }),
}

// File is the file of commission records.
var File = &export.Kind{Name: "commissions", Stream: affiliate.Commissions, Settled: true, Table: table, Columns: export.Infos(commissionColumns), After: partAfter}

// table has a row for each record, in the order of the query.
func table(ctx context.Context, q *question.Question) (export.Table, error) {
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	return export.TableOf(commissionColumns, records.Commissions(ctx, q.Tx, q.Filter(), order, 0, 0)), nil
}

var dailyColumns = []export.Column[sums.DaySums]{
	export.DayColumn("date", func(d *sums.DaySums) affiliate.Day { return d.Day }),
	export.TextColumn("account", func(d *sums.DaySums) affiliate.Account { return d.Account }),
	export.TextColumn("product_type", func(d *sums.DaySums) affiliate.Product { return d.Product }),
	export.CoinColumn("coin", func(d *sums.DaySums) affiliate.Coin { return d.Coin }),
	export.TextColumn("source_type", func(d *sums.DaySums) affiliate.Source { return d.Source }),
	export.CountColumn("records", func(d *sums.DaySums) int64 { return d.Records }),
	export.AmountColumn("fee", func(d *sums.DaySums) affiliate.Number { return d.Fee }),
	export.AmountColumn("commission", func(d *sums.DaySums) affiliate.Number { return d.Commission }),
	export.AmountColumn("taker_amount", func(d *sums.DaySums) affiliate.Number { return d.TakerAmount }),
	export.AmountColumn("maker_amount", func(d *sums.DaySums) affiliate.Number { return d.MakerAmount }),
}

// DailyFile is the file of sums of each day.
var DailyFile = &export.Kind{Name: "daily", Stream: affiliate.Commissions, Settled: true, Daily: true, Table: dailyTable, Columns: export.Infos(dailyColumns)}

// dailyTable has a row for each day, account, product, coin and source.
func dailyTable(ctx context.Context, q *question.Question) (export.Table, error) {
	totals, err := sums.ByDay(ctx, q.Tx, q.Filter())
	return export.TableOf(dailyColumns, export.Each(totals)), err
}
