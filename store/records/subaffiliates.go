package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// ReplaceSubAffiliateDays makes the open rows of the slice equal to records, like
// [ReplaceCommissions].
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
		add, gone, ids := difference(records, open, affiliate.SubAffiliateDay.Key)
		for _, d := range add {
			days[d.Date] = true
		}
		for _, d := range gone {
			days[d.Date] = true
		}
		if err := closeRows(ctx, tx, "sub_affiliate_days", ids, stamp); err != nil {
			return Written{}, err
		}
		rows := store.NewBatch(ctx, tx, "sub_affiliate_days", "account_id, opened_ms, "+subAffiliateFields.columns(""), "", account, int64(stamp))
		var row []any
		for i := range add {
			row = subAffiliateFields.values(row[:0], &add[i])
			if err := rows.Add(row...); err != nil {
				return Written{}, err
			}
		}
		return Written{Opened: len(add), Closed: len(ids)}, rows.Flush()
	})
}

func openSubAffiliateDays(ctx context.Context, tx *store.Tx, account int64, slice Slice) (map[affiliate.SubAffiliateDay][]int64, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT id, `+subAffiliateFields.columns("")+`
		FROM sub_affiliate_days
		WHERE date BETWEEN ? AND ? AND account_id = ? AND product = ? AND closed_ms IS NULL`,
		slice.Days.First.String(), slice.Days.Last.String(), account, slice.Stream.Product)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	open := map[affiliate.SubAffiliateDay][]int64{}
	var id int64
	var d affiliate.SubAffiliateDay
	targets := append([]any{&id}, subAffiliateFields.targets(&d)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		k := d.Key()
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}
