package subaffiliates

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

var subAffiliateColumns = []export.Column[records.SubAffiliateRow]{
	export.TextColumn("account", func(d *records.SubAffiliateRow) affiliate.Account { return d.Account }),
	export.UIDColumn("sub_affiliate_uid", func(d *records.SubAffiliateRow) affiliate.UID { return d.UID }).Means("UID of the sub-affiliate."),
	export.TextColumn("product_type", func(d *records.SubAffiliateRow) affiliate.Product { return d.Product }),
	export.DayColumn("date", func(d *records.SubAffiliateRow) affiliate.Day { return d.Date }),
	export.AmountColumn("trading_volume", func(d *records.SubAffiliateRow) affiliate.Number { return d.TradingVolume }).Means("Trading volume, in USDT."),
	export.AmountColumn("net_trading_fee", func(d *records.SubAffiliateRow) affiliate.Number { return d.NetTradingFee }).Means("Trading fee after discounts, in USDT."),
	export.AmountColumn("paid_commission", func(d *records.SubAffiliateRow) affiliate.Number { return d.PaidCommission }).Means("Commission paid to the sub-affiliate, in USDT."),
}

// File is the file of days of sub-affiliates.
var File = &export.Kind{Name: "sub-affiliates", Title: "Sub-affiliates", Stream: affiliate.SubAffiliates,
	About:   "Trading volume, fees and paid commission of sub-affiliates, for each UTC day.",
	Settled: true, UTC: true, Table: table, Columns: export.Infos(subAffiliateColumns), Foreign: Foreign, Options: Options,
}

// table is in the order of the query if the rows have that column, otherwise by date: the
// page of all sub-affiliates can be sorted by columns that a single day lacks.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	order := records.SubAffiliateOrder{Column: "date"}
	if records.SortsSubAffiliateDays(q.Sort.Field) {
		order = records.SubAffiliateOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	}
	return export.TableOf(subAffiliateColumns, records.SortedSubAffiliateDays(ctx, q.Tx, subAffiliateFilter(q.Query), order, 0, 0)), nil
}

// Options returns the values that the filters of sub-affiliates offer. Their UIDs are not
// those of invitees.
func Options(ctx context.Context, q *snapshot.Snapshot) (snapshot.Options, error) {
	o := snapshot.Options{Accounts: q.Known}
	if q.UID == "" {
		return o, nil
	}
	spans, err := sums.SubAffiliateSpans(ctx, q.Tx, records.SubAffiliateFilter{Days: snapshot.AllDays, UID: q.UID})
	if err == nil && len(spans) == 0 {
		o.Unknown = []string{fmt.Sprintf("Nothing of a sub-affiliate with the UID %q is stored.", q.UID)}
	}
	return o, err
}
