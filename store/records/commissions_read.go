package records

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CommissionRow is a commission record as stored.
type CommissionRow struct {
	affiliate.Commission
	Account    affiliate.Account
	InviteCode string           // of the invitee, as known at the AsOf of the filter; empty = unknown
	FirstSeen  affiliate.Millis // when it was first read
}

// CommissionOrder is an order of commission records; equal ones keep the order in which
// they were written.
type CommissionOrder struct {
	Column     string // one of [CommissionSorts]
	Descending bool
}

// Commissions yields the records of the filter in order. limit 0 means all. The sequence
// ends with the first error.
func Commissions(ctx context.Context, r *store.Tx, f CommissionFilter, order CommissionOrder, limit, offset int) iter.Seq2[CommissionRow, error] {
	return func(yield func(CommissionRow, error) bool) {
		if err := eachCommission(ctx, r, f, order, limit, offset, yield); err != nil {
			yield(CommissionRow{}, fmt.Errorf("reading commissions: %w", err))
		}
	}
}

func eachCommission(ctx context.Context, r *store.Tx, f CommissionFilter, order CommissionOrder, limit, offset int, yield func(CommissionRow, error) bool) error {
	column, err := commissionFields.order("c.", order.Column)
	if err != nil {
		return err
	}
	direction := "ASC"
	if order.Descending {
		direction = "DESC"
	}
	if limit == 0 {
		limit = -1
	}
	w := f.Rows(f.Days.Range(r.ReportingZone()))
	from := `
		FROM commissions c
		JOIN accounts a ON a.id = c.account_id
		LEFT JOIN ` + InviteesAt(f.AsOf) + ` i ON i.account_id = c.account_id AND i.uid = c.uid`
	rows, err := r.QueryContext(ctx, `
		SELECT c.id, c.deal_time_ms, c.opened_ms, concat_ws(?, `+packedTexts+`)`+from+`
		WHERE `+w.String()+`
		ORDER BY `+column+` `+direction+`, c.id `+direction+`
		LIMIT ? OFFSET ?`, slices.Concat([]any{packSeparator}, w.Args, []any{limit, offset})...)
	if err != nil {
		return err
	}
	defer rows.Close()
	reading := readAhead(ctx, r, from, rows)
	defer reading.stop()
	var row CommissionRow
	texts := row.texts()
	for batch := range reading.batches {
		for i := range batch {
			batch[i].unpack(&row, texts)
			if !yield(row, nil) {
				return nil
			}
		}
	}
	return reading.err
}
