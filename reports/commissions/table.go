package commissions

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// row is a record with what the exchange of its account says of it.
type row struct {
	records.CommissionRow
	covered
}

// The columns of the exports are fixed, because other programs read them: a new field comes last. What
// is no field of a record stands behind the field to which it belongs.
var commissionColumns = func() []export.Column[row] {
	list := []export.Column[row]{
		export.TimeColumn("deal_time_utc", func(r *row) affiliate.Millis { return r.DealTime }),
	}
	for _, f := range affiliate.CommissionFields {
		list = append(list, export.FieldColumn(f, func(r *row) *affiliate.Commission { return &r.Commission }))
		switch f.Column {
		case "deal_time_ms":
			list = append(list, export.TextColumn("account", func(r *row) affiliate.Account { return r.Account }))
		case "uid":
			list = append(list, export.TextColumn("invite_code", func(r *row) string { return r.InviteCode }))
		case "commission":
			list = append(list, export.TimeColumn("first_seen_utc", func(r *row) affiliate.Millis { return r.FirstSeen }))
		}
	}
	return append(list,
		export.TextColumn("exchange", func(r *row) string { return r.exchange }).Means("Exchange of the account, by its name in settings."),
		export.TextColumn("grain", func(r *row) affiliate.Grain { return r.grain }).
			Means("What the row covers: record, an instant; trade, one trade; day, a day of the exchange; span, the time between two readings of a figure that grows."),
		export.TimeColumn("until_utc", func(r *row) affiliate.Millis { return r.until }).
			Means("End of what the row covers, excluded; deal_time_utc is its beginning. Empty for an instant."))
}()

// File is the file of commission records.
var File = &export.Kind{Name: "commissions", Title: "Commissions", Stream: affiliate.Commissions,
	About:   "Commission records, as the exchange listed them.",
	Settled: true, Table: table, Columns: export.Infos(commissionColumns), After: partAfter,
}

// table has a row for each record, in the order of the query.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	order := records.CommissionOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	if q.Sort.Field == "time" {
		return export.TableOf(commissionColumns, withSheets(ctx, q, records.Commissions(ctx, q.Tx, q.Filter(), order, 0, 0))), nil
	}
	list, err := sums.ByDay(ctx, q.Tx, q.Filter())
	return export.TableOf(commissionColumns, withSheets(ctx, q, func(yield func(records.CommissionRow, error) bool) {
		for _, part := range stretches(q, list) {
			for row, err := range records.Commissions(ctx, q.Tx, part.filter, order, 0, 0) {
				if !yield(row, err) {
					return
				}
			}
		}
	})), err
}

var dailyColumns = append([]export.Column[sums.DaySums]{
	export.DayColumn("date", func(d *sums.DaySums) affiliate.Day { return d.Day }),
	export.TextColumn("account", func(d *sums.DaySums) affiliate.Account { return d.Account }),
	export.TextColumn("product_type", func(d *sums.DaySums) affiliate.Product { return d.Product }),
	export.CoinColumn("coin", func(d *sums.DaySums) affiliate.Coin { return d.Coin }),
	export.TextColumn("source_type", func(d *sums.DaySums) affiliate.Source { return d.Source }),
	export.CountColumn("records", func(d *sums.DaySums) int64 { return d.Records }),
}, export.SumColumns(affiliate.SummedFields, func(d *sums.DaySums, place int) affiliate.Number { return *d.All()[place] })...)

// DailyFile is the file of sums of each day.
var DailyFile = &export.Kind{Name: "daily", Title: "Overview", Stream: affiliate.Commissions,
	About:   "Sums of commission for each day, account, product, coin and source.",
	Settled: true, Daily: true, Table: dailyTable, Columns: export.Infos(dailyColumns),
}

// dailyTable has a row for each day, account, product, coin and source.
func dailyTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	totals, err := sums.ByDay(ctx, q.Tx, q.Filter())
	return export.TableOf(dailyColumns, export.Each(totals)), err
}
