package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

var subAffiliateColumns = []column[records.SubAffiliateRow]{
	textColumn("account", func(d *records.SubAffiliateRow) affiliate.Account { return d.Account }),
	uidColumn("sub_affiliate_uid", func(d *records.SubAffiliateRow) affiliate.UID { return d.UID }),
	textColumn("product_type", func(d *records.SubAffiliateRow) affiliate.Product { return d.Product }),
	dayColumn("date", func(d *records.SubAffiliateRow) affiliate.Day { return d.Date }),
	amountColumn("trading_volume", func(d *records.SubAffiliateRow) affiliate.Number { return d.TradingVolume }),
	amountColumn("net_trading_fee", func(d *records.SubAffiliateRow) affiliate.Number { return d.NetTradingFee }),
	amountColumn("paid_commission", func(d *records.SubAffiliateRow) affiliate.Number { return d.PaidCommission }),
}

// subAffiliateTable is in the order of the query where the rows have such a
// column, else by date: the page about all sub-affiliates can be sorted by what
// a single day does not have.
func subAffiliateTable(ctx context.Context, q *question) (table, error) {
	order := records.SubAffiliateOrder{Column: "date"}
	if records.SortsSubAffiliateDays(q.Sort.Field) {
		order = records.SubAffiliateOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	}
	return tableOf(subAffiliateColumns, records.SortedSubAffiliateDays(ctx, q.Tx, subAffiliateFilter(q.Query), order, 0, 0)), nil
}

// subAffiliateOptions are what the filters of sub-affiliates offer: these can be
// narrowed by UID alone, and it is none of an invitee.
func (q *question) subAffiliateOptions(ctx context.Context) (Options, error) {
	o := Options{Accounts: q.known}
	if q.UID == "" {
		return o, nil
	}
	spans, err := sums.SubAffiliateSpans(ctx, q.Tx, records.SubAffiliateFilter{Days: allDays, UID: q.UID})
	if err == nil && len(spans) == 0 {
		o.Unknown = []string{fmt.Sprintf("Nothing of a sub-affiliate with the UID %q is stored.", q.UID)}
	}
	return o, err
}
