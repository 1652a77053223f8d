package records

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

var subAffiliateFields = Fields[affiliate.SubAffiliateDay]{
	{Name: "date", Column: "date", Target: func(d *affiliate.SubAffiliateDay) any { return (*store.DayText)(&d.Date) }},
	{Name: "product", Column: "product", Target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.Product) }},
	{Name: "uid", Column: "uid", Target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.UID) }},
	{Name: "volume", Column: "trading_volume", Kind: affiliate.AmountField, Target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.TradingVolume) }},
	{Name: "fee", Column: "net_trading_fee", Kind: affiliate.AmountField, Target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.NetTradingFee) }},
	{Name: "paid", Column: "paid_commission", Kind: affiliate.AmountField, Target: func(d *affiliate.SubAffiliateDay) any { return (*string)(&d.PaidCommission) }},
}

var subAffiliateTable = RowTable[affiliate.SubAffiliateDay]{
	Name: "sub_affiliate_days", Fields: subAffiliateFields, Key: affiliate.SubAffiliateDay.Key,
	Day:  func(d *affiliate.SubAffiliateDay) affiliate.Day { return d.Date },
	Fits: func(slice Slice, d *affiliate.SubAffiliateDay) bool { return d.Product == slice.Stream.Product },
	Of: func(slice Slice) (w store.Where) {
		w.Add(`date BETWEEN ? AND ?`, slice.Days.First.String(), slice.Days.Last.String())
		w.Add(`product = ?`, slice.Stream.Product)
		return w
	},
}

// ReplaceSubAffiliateDays makes the open rows of the slice equal to records, like
// [ReplaceCommissions].
func ReplaceSubAffiliateDays(ctx context.Context, s *store.Store, slice Slice, records []affiliate.SubAffiliateDay) (Written, error) {
	return subAffiliateTable.Replace(ctx, s, slice, records)
}
