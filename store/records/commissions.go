package records

import (
	"context"
	"fmt"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// CommissionSlice is a slice of commission records with the result of its read.
type CommissionSlice struct {
	Slice
	Records []affiliate.Commission
}

// ReplaceCommissions makes the open rows of the slice equal to records, as multisets: new
// records are opened, missing ones are closed, equal ones stay untouched. Roll-ups,
// coverage and log are written in the same transaction. Writing the same records again
// changes no row.
func ReplaceCommissions(ctx context.Context, s *store.Store, slice Slice, records []affiliate.Commission) (Written, error) {
	written, err := ReplaceCommissionSlices(ctx, s, CommissionSlice{slice, records})
	if err != nil {
		return Written{}, err
	}
	return written[0], nil
}

// ReplaceCommissionSlices does the same as [ReplaceCommissions] for several slices, one
// after the other, in one transaction: the cost of the transaction and the roll-ups is paid
// once. Either all slices are written or none.
func ReplaceCommissionSlices(ctx context.Context, s *store.Store, list ...CommissionSlice) ([]Written, error) {
	for _, slice := range list {
		if err := slice.check(); err != nil {
			return nil, err
		}
	}
	var written []Written
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) (err error) {
		written, err = replaceSlices(ctx, s, tx, stamp, list)
		return err
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

// ReplaceCommissionsIn is [ReplaceCommissions] within a write that has begun.
func ReplaceCommissionsIn(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, slice CommissionSlice) (Written, error) {
	if err := slice.check(); err != nil {
		return Written{}, err
	}
	written, err := replaceSlices(ctx, s, tx, stamp, []CommissionSlice{slice})
	if err != nil {
		return Written{}, err
	}
	return written[0], nil
}

func replaceSlices(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, list []CommissionSlice) (written []Written, err error) {
	if err := settleZone(ctx, s, tx); err != nil {
		return nil, err
	}
	written = make([]Written, len(list))
	rolls := deltas{zone: s.Zone(), byAccount: map[int64]*rollup.Delta{}}
	for i, slice := range list {
		if i > 0 { // each as if it were written alone
			if stamp, err = tx.NextStamp(ctx); err != nil {
				return nil, err
			}
		}
		if written[i], err = putSlice(ctx, tx, stamp, slice.Slice, len(slice.Records), slice.replace(ctx, rolls)); err != nil {
			return nil, err
		}
	}
	return written, rolls.write(ctx, tx)
}

// check refuses records that do not belong to the slice.
func (slice CommissionSlice) check() error {
	span := slice.Range()
	for i, c := range slice.Records {
		if slice.Stream.Product != "" && c.Product != slice.Stream.Product || !span.Contains(c.DealTime) {
			return fmt.Errorf("writing %s %s: record %d is of %s at %s and does not belong there", slice.Stream, span, i+1, c.Product, c.DealTime)
		}
	}
	return nil
}

// replace writes the rows of the slice, and collects the resulting changes of the roll-ups.
func (slice CommissionSlice) replace(ctx context.Context, rolls deltas) replacing {
	return func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		open, err := openCommissions(ctx, tx, account, slice.Stream.Product, slice.Range())
		if err != nil {
			return Written{}, err
		}
		add, gone, ids := difference(slice.Records, open, affiliate.Commission.Key, func(open map[affiliate.Commission][]int64) {
			protect(slice.Quarantine, open, commissionFields, commissionDay)
		})
		for i := range add {
			days.at(slice.Slice, add[i].DealTime)
		}
		for i := range gone {
			days.at(slice.Slice, gone[i].DealTime)
		}
		roll := rolls.of(account)
		for i := range gone {
			roll.Add(&gone[i], -1)
		}
		for i := range add {
			roll.Add(&add[i], 1)
		}
		if err := closeRows(ctx, tx, "commissions", ids, stamp); err != nil {
			return Written{}, err
		}
		if err := insertCommissions(ctx, tx, account, add, stamp); err != nil {
			return Written{}, err
		}
		return Written{Opened: len(add), Closed: len(ids)}, nil
	}
}

// commissionDay returns the UTC day of a commission.
func commissionDay(c *affiliate.Commission) affiliate.Day {
	return affiliate.DayOf(c.DealTime.Time(), time.UTC)
}

// openCommissions reads the open rows of a slice by their key.
func openCommissions(ctx context.Context, tx *store.Tx, account int64, product affiliate.Product, span affiliate.Range) (map[affiliate.Commission][]int64, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT id, `+CommissionColumnList("")+`
		FROM commissions
		WHERE deal_time_ms >= ? AND deal_time_ms < ? AND account_id = ? AND (product = ? OR ? = '') AND closed_ms IS NULL`,
		affiliate.MillisOf(span.From), affiliate.MillisOf(span.To), account, product, product)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	open := map[affiliate.Commission][]int64{}
	var id int64
	var c affiliate.Commission
	targets := append([]any{&id}, CommissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		k := c.Key()
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}

func insertCommissions(ctx context.Context, tx *store.Tx, account int64, records []affiliate.Commission, stamp affiliate.Millis) error {
	if len(records) == 0 {
		return nil
	}
	id, err := lastCommission(ctx, tx)
	if err != nil {
		return err
	}
	limits := newBounds(ctx, tx)
	rows := store.NewBatch(ctx, tx, "commissions", "account_id, opened_ms, id, "+CommissionColumnList(""), "", account, int64(stamp))
	var row []any
	for c := range byTime(records) {
		id++
		row = commissionFields.values(append(row[:0], id), c)
		if err := rows.Add(row...); err != nil {
			return err
		}
		if err := limits.add(id, c); err != nil {
			return err
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	return limits.write()
}

// byTime yields records oldest first if they are sorted, so that the index grows in one
// place. The exchange usually returns the newest first.
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
