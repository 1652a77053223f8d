package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
)

const commissionColumns = `account_id, opened_ms, product, deal_time_ms, uid, symbol, source, coin,
	taker_amount, maker_amount, fee, rate, commission`

// ReplaceCommissions makes the open rows of the slice equal, as a multiset, to
// records: what is new is opened, what is gone is closed, what is equal stays
// untouched. Roll-ups, coverage and log are written in the same transaction.
// Writing the same records again changes no row.
func (s *Store) ReplaceCommissions(ctx context.Context, slice Slice, records []affiliate.Commission) (Written, error) {
	span := slice.Range()
	for i, c := range records {
		if c.Product != slice.Stream.Product || !span.Contains(c.DealTime) {
			return Written{}, fmt.Errorf("writing %s %s: record %d is of %s at %s and does not belong there", slice.Stream, span, i+1, c.Product, c.DealTime)
		}
	}
	return s.writeSlice(ctx, slice, len(records), func(tx *sql.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		if err := s.settleZone(ctx, tx); err != nil {
			return Written{}, err
		}
		open, err := openCommissions(ctx, tx, account, slice.Stream.Product, span)
		if err != nil {
			return Written{}, err
		}
		add, gone := difference(records, open, affiliate.Commission.Key)
		for _, c := range add {
			days.at(slice, c.DealTime)
		}
		for c, ids := range open {
			if len(ids) > 0 {
				days.at(slice, c.DealTime)
			}
		}
		crashpoint.Pass(crashpoint.RowsCompared)
		roll := newRollup(s.zone, account)
		if err := roll.close(ctx, tx, gone); err != nil {
			return Written{}, err
		}
		crashpoint.Pass(crashpoint.RollupsLessened)
		if err := closeRows(ctx, tx, "commissions", gone, stamp); err != nil {
			return Written{}, err
		}
		if err := insertCommissions(ctx, tx, account, add, stamp, roll); err != nil {
			return Written{}, err
		}
		crashpoint.Pass(crashpoint.CommissionsOpened)
		return Written{Opened: len(add), Closed: len(gone)}, roll.write(ctx, tx)
	})
}

// openCommissions reads the open rows of a slice, by their key.
func openCommissions(ctx context.Context, tx *sql.Tx, account int64, product affiliate.Product, span affiliate.Range) (map[affiliate.Commission][]int64, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission
		FROM commissions
		WHERE deal_time_ms >= ? AND deal_time_ms < ? AND account_id = ? AND product = ? AND closed_ms IS NULL`,
		affiliate.MillisOf(span.From), affiliate.MillisOf(span.To), account, product)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	open := map[affiliate.Commission][]int64{}
	for rows.Next() {
		var id int64
		var c affiliate.Commission
		if err := rows.Scan(append([]any{&id}, commissionTargets(&c)...)...); err != nil {
			return nil, err
		}
		k := c.Key()
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}

// commissionTargets are the fields of a record in the order of its columns, as
// plain types: into named ones database/sql scans by reflection.
func commissionTargets(c *affiliate.Commission) []any {
	return []any{(*string)(&c.Product), (*int64)(&c.DealTime), (*string)(&c.UID), &c.Symbol, (*string)(&c.Source), (*string)(&c.Coin),
		(*string)(&c.TakerAmount), (*string)(&c.MakerAmount), (*string)(&c.Fee), (*string)(&c.Rate), (*string)(&c.Commission)}
}

func insertCommissions(ctx context.Context, tx *sql.Tx, account int64, records []affiliate.Commission, stamp affiliate.Millis, roll *rollup) error {
	// In order of time the index grows at one place. The exchange usually
	// gives the newest first.
	if n := len(records); n > 0 && records[0].DealTime > records[n-1].DealTime {
		slices.Reverse(records)
	}
	rows := newBatch(ctx, tx, "commissions", commissionColumns, "", account, int64(stamp))
	for i := range records {
		c := &records[i]
		err := rows.add(string(c.Product), int64(c.DealTime), string(c.UID), c.Symbol, string(c.Source), string(c.Coin),
			string(c.TakerAmount), string(c.MakerAmount), string(c.Fee), string(c.Rate), string(c.Commission))
		if err != nil {
			return err
		}
		roll.add(c, 1)
		crashpoint.Pass(crashpoint.CommissionOpened)
	}
	return rows.flush()
}
