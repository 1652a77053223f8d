package records

import (
	"context"
	"fmt"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

const commissionColumns = `account_id, opened_ms, product, deal_time_ms, uid, symbol, source, coin,
	taker_amount, maker_amount, fee, rate, commission`

// CommissionSlice is a slice of commission records with what its read returned.
type CommissionSlice struct {
	Slice
	Records []affiliate.Commission
}

// ReplaceCommissions makes the open rows of the slice equal, as a multiset, to
// records: what is new is opened, what is gone is closed, what is equal stays
// untouched. Roll-ups, coverage and log are written in the same transaction.
// Writing the same records again changes no row.
func ReplaceCommissions(ctx context.Context, s *store.Store, slice Slice, records []affiliate.Commission) (Written, error) {
	written, err := ReplaceCommissionSlices(ctx, s, CommissionSlice{slice, records})
	if err != nil {
		return Written{}, err
	}
	return written[0], nil
}

// ReplaceCommissionSlices does what [ReplaceCommissions] does with several
// slices, one after the other, in one transaction: what a transaction and the
// roll-ups cost is paid once. Either all of them are written or none is.
func ReplaceCommissionSlices(ctx context.Context, s *store.Store, list ...CommissionSlice) ([]Written, error) {
	for _, slice := range list {
		if err := slice.check(); err != nil {
			return nil, err
		}
	}
	written := make([]Written, len(list))
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) (err error) {
		if err := settleZone(ctx, s, tx); err != nil {
			return err
		}
		tallies := rollup.TallyBeside(s.Zone())
		defer tallies.End()
		for i, slice := range list {
			if i > 0 { // each as if it were written alone
				if stamp, err = tx.NextStamp(ctx); err != nil {
					return err
				}
			}
			replace := slice.replace(ctx, tallies, i == len(list)-1)
			if written[i], err = putSlice(ctx, tx, stamp, slice.Slice, len(slice.Records), replace); err != nil {
				return err
			}
		}
		return writeTallies(ctx, tx, tallies)
	})
	if err != nil {
		return nil, err
	}
	crashpoint.Pass(crashpoint.SliceCommitted)
	return written, nil
}

// check refuses records that do not belong into the slice.
func (slice CommissionSlice) check() error {
	span := slice.Range()
	for i, c := range slice.Records {
		if c.Product != slice.Stream.Product || !span.Contains(c.DealTime) {
			return fmt.Errorf("writing %s %s: record %d is of %s at %s and does not belong there", slice.Stream, span, i+1, c.Product, c.DealTime)
		}
	}
	return nil
}

// replace writes the rows of the slice. What it changes in the roll-ups is
// added up beside; with the last slice that can come to its end before the rows
// do.
func (slice CommissionSlice) replace(ctx context.Context, tallies *rollup.Tallies, last bool) replacing {
	return func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		open, err := openCommissions(ctx, tx, account, slice.Stream.Product, slice.Range())
		if err != nil {
			return Written{}, err
		}
		add, gone := difference(slice.Records, open, affiliate.Commission.Key)
		for i := range add {
			days.at(slice.Slice, add[i].DealTime)
		}
		for c, ids := range open {
			if len(ids) > 0 {
				days.at(slice.Slice, c.DealTime)
			}
		}
		crashpoint.Pass(crashpoint.RowsCompared)
		closing, err := commissionsOf(ctx, tx, gone)
		if err != nil {
			return Written{}, err
		}
		tallies.Add(account, closing, -1)
		tallies.Add(account, add, 1)
		if last {
			tallies.Last()
		}
		crashpoint.Pass(crashpoint.RollupsLessened)
		if err := closeRows(ctx, tx, "commissions", gone, stamp); err != nil {
			return Written{}, err
		}
		if err := insertCommissions(ctx, tx, account, add, stamp); err != nil {
			return Written{}, err
		}
		crashpoint.Pass(crashpoint.CommissionsOpened)
		return Written{Opened: len(add), Closed: len(gone)}, nil
	}
}

// openCommissions reads the open rows of a slice, by their key.
func openCommissions(ctx context.Context, tx *store.Tx, account int64, product affiliate.Product, span affiliate.Range) (map[affiliate.Commission][]int64, error) {
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
		if err := rows.Scan(append([]any{&id}, CommissionTargets(&c)...)...); err != nil {
			return nil, err
		}
		k := c.Key()
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}

// CommissionTargets are the fields of a record in the order of its columns, as
// plain types: into named ones database/sql scans by reflection.
func CommissionTargets(c *affiliate.Commission) []any {
	return []any{(*string)(&c.Product), (*int64)(&c.DealTime), (*string)(&c.UID), &c.Symbol, (*string)(&c.Source), (*string)(&c.Coin),
		(*string)(&c.TakerAmount), (*string)(&c.MakerAmount), (*string)(&c.Fee), (*string)(&c.Rate), (*string)(&c.Commission)}
}

// commissionsOf reads records by the ids of their rows.
func commissionsOf(ctx context.Context, tx *store.Tx, ids []int64) ([]affiliate.Commission, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	stmt, err := tx.PrepareContext(ctx, `
		SELECT product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission
		FROM commissions WHERE id = ?`)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	records := make([]affiliate.Commission, len(ids))
	for i, id := range ids {
		if err := stmt.QueryRowContext(ctx, id).Scan(CommissionTargets(&records[i])...); err != nil {
			return nil, err
		}
	}
	return records, nil
}

func insertCommissions(ctx context.Context, tx *store.Tx, account int64, records []affiliate.Commission, stamp affiliate.Millis) error {
	rows := store.NewBatch(ctx, tx, "commissions", commissionColumns, "", account, int64(stamp))
	for c := range byTime(records) {
		err := rows.Add(string(c.Product), int64(c.DealTime), string(c.UID), c.Symbol, string(c.Source), string(c.Coin),
			string(c.TakerAmount), string(c.MakerAmount), string(c.Fee), string(c.Rate), string(c.Commission))
		if err != nil {
			return err
		}
		crashpoint.Pass(crashpoint.CommissionOpened)
	}
	return rows.Flush()
}

// byTime gives records with the oldest first, where they are in order: so the
// index grows at one place. The exchange usually gives the newest first.
func byTime(records []affiliate.Commission) iter.Seq[*affiliate.Commission] {
	n := len(records)
	backwards := n > 0 && records[0].DealTime > records[n-1].DealTime
	return func(yield func(*affiliate.Commission) bool) {
		for i := range records {
			if backwards {
				i = n - 1 - i
			}
			if !yield(&records[i]) {
				return
			}
		}
	}
}
