package records

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store"
)

// ReplaceSubAffiliateDays makes the open rows of the slice equal to records,
// in the way of [ReplaceCommissions].
func ReplaceSubAffiliateDays(ctx context.Context, s *store.Store, slice Slice, records []affiliate.SubAffiliateDay) (Written, error) {
	for i, d := range records {
		if d.Product != slice.Stream.Product || !slice.Days.Contains(d.Date) {
			return Written{}, fmt.Errorf("writing %s: record %d is of %s on %s and does not belong there", slice.Stream, i+1, d.Product, d.Date)
		}
	}
	return writeSlice(ctx, s, slice, len(records), func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		open, err := openSubAffiliateDays(ctx, tx, account, slice)
		if err != nil {
			return Written{}, err
		}
		add, gone := difference(records, open, affiliate.SubAffiliateDay.Key)
		for _, d := range add {
			days[d.Date] = true
		}
		for d, ids := range open {
			if len(ids) > 0 {
				days[d.Date] = true
			}
		}
		if err := closeRows(ctx, tx, "sub_affiliate_days", gone, stamp); err != nil {
			return Written{}, err
		}
		crashpoint.Pass(crashpoint.SubAffiliateDaysClosed)
		rows := store.NewBatch(ctx, tx, "sub_affiliate_days",
			"account_id, opened_ms, product, date, uid, trading_volume, net_trading_fee, paid_commission", "", account, int64(stamp))
		for _, d := range add {
			err := rows.Add(string(d.Product), d.Date.String(), string(d.UID),
				string(d.TradingVolume), string(d.NetTradingFee), string(d.PaidCommission))
			if err != nil {
				return Written{}, err
			}
			crashpoint.Pass(crashpoint.SubAffiliateDayOpened)
		}
		return Written{Opened: len(add), Closed: len(gone)}, rows.Flush()
	})
}

func openSubAffiliateDays(ctx context.Context, tx *store.Tx, account int64, slice Slice) (map[affiliate.SubAffiliateDay][]int64, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT id, product, date, uid, trading_volume, net_trading_fee, paid_commission
		FROM sub_affiliate_days
		WHERE date BETWEEN ? AND ? AND account_id = ? AND product = ? AND closed_ms IS NULL`,
		slice.Days.First.String(), slice.Days.Last.String(), account, slice.Stream.Product)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	open := map[affiliate.SubAffiliateDay][]int64{}
	for rows.Next() {
		var id int64
		d, err := scanSubAffiliateDay(rows, &id)
		if err != nil {
			return nil, err
		}
		k := d.Key()
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}

// scanSubAffiliateDay reads one row: one more column, then the record's.
func scanSubAffiliateDay(rows *sql.Rows, first any) (affiliate.SubAffiliateDay, error) {
	var d affiliate.SubAffiliateDay
	var date string
	err := rows.Scan(first, &d.Product, &date, &d.UID, &d.TradingVolume, &d.NetTradingFee, &d.PaidCommission)
	if err != nil {
		return d, err
	}
	d.Date, err = affiliate.ParseDay(date)
	return d, err
}
