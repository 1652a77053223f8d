package records

import (
	"context"
	"fmt"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CommissionRow is a commission record as stored.
type CommissionRow struct {
	affiliate.Commission
	Account    affiliate.Account
	InviteCode string           // of the invitee, as known at the AsOf of the filter; empty = unknown
	OurCode    affiliate.Flag   // true: the code is ours, since the exchange tells none
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

func eachCommission(ctx context.Context, r *store.Tx, f CommissionFilter, order CommissionOrder, limit, offset int, yield func(CommissionRow, error) bool) (err error) {
	q := commissionQuery{filter: f, order: order, limit: limit, offset: offset}
	if !q.all() {
		return q.page(ctx, r, yield)
	}
	if q.names, err = namesAt(ctx, r, f); err != nil {
		return err
	}
	rest := commissionSpans{rest: f.Days.Range(r.ReportingZone())}
	readers := []*store.Tx{r}
	if order.Column == "time" {
		if rest, err = splitSpans(ctx, r, rest.rest, order.Descending); err != nil {
			return err
		}
		beside, err := r.Beside(ctx)
		if err != nil {
			return err
		}
		if beside != nil {
			defer beside.Close()
			readers = append(readers, beside)
		}
	}
	reading := readAhead(ctx, q, rest, readers)
	defer reading.stop()
	return reading.each(yield)
}

// page yields a few records.
func (q *commissionQuery) page(ctx context.Context, r *store.Tx, yield func(CommissionRow, error) bool) error {
	if ok, err := q.bounded(ctx, r); err != nil {
		return err
	} else if ok {
		return q.top(ctx, r, yield)
	}
	var row CommissionRow
	texts := row.texts()
	_, err := q.read(ctx, r, q.filter.Days.Range(r.ReportingZone()), func(batch []packedCommission) bool {
		for i := range batch {
			batch[i].unpack(&row, texts)
			if !yield(row, nil) {
				return false
			}
		}
		return true
	})
	return err
}

// CommissionKey is the place of a record in the order of time. The zero key is before all.
type CommissionKey struct {
	DealTime affiliate.Millis
	ID       int64 // of the stored row
}

// KeyedCommission is a commission record with its place.
type KeyedCommission struct {
	CommissionRow
	Key CommissionKey
}

// CommissionsAfter yields at most limit records of the filter in order of time, those after a
// key. What it costs does not grow with the number of records before the key.
func CommissionsAfter(ctx context.Context, r *store.Tx, f CommissionFilter, descending bool, after CommissionKey, limit int) iter.Seq2[KeyedCommission, error] {
	return func(yield func(KeyedCommission, error) bool) {
		q := commissionQuery{filter: f, order: CommissionOrder{Column: "time", Descending: descending}, limit: limit, after: after}
		span := q.rest(f.Days.Range(r.ReportingZone()))
		if !span.From.Before(span.To) {
			return
		}
		var row KeyedCommission
		texts := row.texts()
		_, err := q.read(ctx, r, span, func(batch []packedCommission) bool {
			for i := range batch {
				row.Key = CommissionKey{batch[i].deal, batch[i].id}
				batch[i].unpack(&row.CommissionRow, texts)
				if !yield(row, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(KeyedCommission{}, fmt.Errorf("reading commissions after a record: %w", err))
		}
	}
}

// rest returns the part of a range in which records after the key can be.
func (q *commissionQuery) rest(span affiliate.Range) affiliate.Range {
	if q.after == (CommissionKey{}) {
		return span
	}
	at := time.UnixMilli(int64(q.after.DealTime))
	if q.order.Descending {
		if end := at.Add(time.Millisecond); end.Before(span.To) {
			span.To = end
		}
	} else if at.After(span.From) {
		span.From = at
	}
	return span
}
