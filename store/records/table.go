package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RowTable is a table of opened and closed rows of records that the exchange lists without an
// id that can be relied on. It has the columns id, account_id, opened_ms and closed_ms besides
// its fields.
type RowTable[T comparable] struct {
	Name   string
	Fields Fields[T]
	Key    func(T) T               // the same for records that are equal
	Day    func(*T) affiliate.Day  // the UTC day to which a record belongs
	Fits   func(Slice, *T) bool    // whether a record belongs to the stream of a slice
	Of     func(Slice) store.Where // the rows of a slice, whatever their account
}

// Replace makes the open rows of the slice equal to records, as multisets: new records are
// opened, missing ones are closed, equal ones stay untouched. Coverage and log are written in
// the same transaction. A record that does not belong to the slice is an error.
func (t *RowTable[T]) Replace(ctx context.Context, s *store.Store, slice Slice, records []T) (Written, error) {
	for i := range records {
		if d := &records[i]; !slice.Days.Contains(t.Day(d)) || !t.Fits(slice, d) {
			return Written{}, fmt.Errorf("writing %s of %s: record %d does not belong there: %+v", slice.Stream, slice.Range(), i+1, *d)
		}
	}
	return writeSlice(ctx, s, slice, len(records), func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
		open, err := t.open(ctx, tx, account, slice)
		if err != nil {
			return Written{}, err
		}
		add, gone, ids := difference(records, open, t.Key, func(open map[T][]int64) { protect(slice.Quarantine, open, t.Fields, t.Day) })
		for i := range add {
			days[t.Day(&add[i])] = true
		}
		for i := range gone {
			days[t.Day(&gone[i])] = true
		}
		if err := closeRows(ctx, tx, t.Name, ids, stamp); err != nil {
			return Written{}, err
		}
		rows := store.NewBatch(ctx, tx, t.Name, "account_id, opened_ms, "+t.Fields.Columns(""), "", account, int64(stamp))
		var row []any
		for i := range add {
			row = t.Fields.values(row[:0], &add[i])
			if err := rows.Add(row...); err != nil {
				return Written{}, err
			}
		}
		return Written{Opened: len(add), Closed: len(ids)}, rows.Flush()
	})
}

// open reads the open rows of a slice by their key.
func (t *RowTable[T]) open(ctx context.Context, tx *store.Tx, account int64, slice Slice) (map[T][]int64, error) {
	w := t.Of(slice)
	w.Add(`account_id = ? AND closed_ms IS NULL`, account)
	rows, err := tx.QueryContext(ctx, `SELECT id, `+t.Fields.Columns("")+` FROM `+t.Name+` WHERE `+w.String(), w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	open := map[T][]int64{}
	var id int64
	var record T
	targets := append([]any{&id}, t.Fields.Targets(&record)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		k := t.Key(record)
		open[k] = append(open[k], id)
	}
	return open, rows.Err()
}
