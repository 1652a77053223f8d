package sums

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// SubAffiliateSums are exact totals of sub-affiliate days. The exchange names no unit for
// them (4.19). A sum without any known part is unknown.
type SubAffiliateSums struct {
	Records        int64
	TradingVolume  affiliate.Number
	NetTradingFee  affiliate.Number
	PaidCommission affiliate.Number
}

func (s *SubAffiliateSums) targets() []any {
	return []any{&s.Records, &s.TradingVolume, &s.NetTradingFee, &s.PaidCommission}
}

// subAffiliateSums lists the columns of SubAffiliateSums, in its order.
const subAffiliateSums = `count(*),
	iif(max(d.trading_volume) = '', '', decimal_sum(d.trading_volume)),
	iif(max(d.net_trading_fee) = '', '', decimal_sum(d.net_trading_fee)),
	iif(max(d.paid_commission) = '', '', decimal_sum(d.paid_commission))`

// SubAffiliateProductSums are the totals of one sub-affiliate and product.
type SubAffiliateProductSums struct {
	Account affiliate.Account
	UID     affiliate.UID
	Product affiliate.Product
	SubAffiliateSums
}

// SubAffiliateDaySums are the totals of one UTC day and product.
type SubAffiliateDaySums struct {
	Day     affiliate.Day
	Product affiliate.Product
	SubAffiliateSums
}

// BySubAffiliateDay adds up the days of the filter by date and product.
func BySubAffiliateDay(ctx context.Context, r *store.Tx, f records.SubAffiliateFilter) ([]SubAffiliateDaySums, error) {
	return subAffiliateGroups(ctx, r, f, "d.date, d.product", func(rows *sql.Rows) (s SubAffiliateDaySums, err error) {
		err = rows.Scan(append([]any{(*store.DayText)(&s.Day), &s.Product}, s.targets()...)...)
		return s, err
	})
}

func subAffiliateGroups[T any](ctx context.Context, r *store.Tx, f records.SubAffiliateFilter, by string, scan func(*sql.Rows) (T, error)) ([]T, error) {
	w := f.Where()
	list, err := store.Scanned(ctx, r, scan, `
		SELECT `+by+`, `+subAffiliateSums+`
		FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
		WHERE `+w.String()+` GROUP BY `+by+` ORDER BY `+by, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("adding up sub-affiliate days: %w", err)
	}
	return list, nil
}

// SubAffiliateSpan says when a sub-affiliate had business.
type SubAffiliateSpan struct {
	Account     affiliate.Account
	UID         affiliate.UID
	Days        int64 // UTC days with a record of any product
	First, Last affiliate.Day
}

// SubAffiliateSpans returns when the sub-affiliates of the filter had business, by account
// and UID.
func SubAffiliateSpans(ctx context.Context, r *store.Tx, f records.SubAffiliateFilter) ([]SubAffiliateSpan, error) {
	w := f.Where()
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (s SubAffiliateSpan, err error) {
		err = rows.Scan(&s.Account, &s.UID, &s.Days, (*store.DayText)(&s.First), (*store.DayText)(&s.Last))
		return s, err
	}, `
		SELECT a.name, d.uid, count(DISTINCT d.date), min(d.date), max(d.date)
		FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
		WHERE `+w.String()+` GROUP BY a.name, d.uid ORDER BY a.name, d.uid`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading when sub-affiliates had business: %w", err)
	}
	return list, nil
}

// SubAffiliateReach returns the first and the last UTC day with stored data in the state of
// asOf, of any sub-affiliate, or false if there is none.
func SubAffiliateReach(ctx context.Context, r *store.Tx, asOf affiliate.Millis) (affiliate.Days, bool, error) {
	var reach affiliate.Days
	f := records.SubAffiliateFilter{Days: affiliate.Days{First: affiliate.NewDay(1970, 1, 1), Last: affiliate.NewDay(9999, 12, 31)}, AsOf: asOf}
	w := f.Where()
	for _, end := range []struct {
		day   *affiliate.Day
		order string
	}{{&reach.First, "ASC"}, {&reach.Last, "DESC"}} {
		// The query walks the index from one end: min() and max() would read all rows.
		err := r.QueryRowContext(ctx, `SELECT d.date FROM sub_affiliate_days d
			WHERE `+w.String()+` ORDER BY d.date `+end.order+` LIMIT 1`, w.Args...).Scan((*store.DayText)(end.day))
		if errors.Is(err, sql.ErrNoRows) {
			return affiliate.Days{}, false, nil
		}
		if err != nil {
			return affiliate.Days{}, false, fmt.Errorf("reading the reach of sub-affiliate days: %w", err)
		}
	}
	return reach, true, nil
}

// UTCDaySums is [ByDay] in UTC days, whatever the reporting zone: if that is another zone,
// the records of the range are read.
func UTCDaySums(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DaySums, error) {
	return ByDay(ctx, r.In(time.UTC), f)
}
