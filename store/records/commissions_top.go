package records

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// maxTop limits what is kept in memory while the head of a list is looked for.
const maxTop = 100_000

// topKey is what records are sorted by: an amount, then the id. Both are in the same
// direction.
type topKey struct {
	value string
	id    int64
}

// commissionTop looks for the head of a list sorted by an amount. It reads stretches of
// records in the order of their bounds, until no further one can hold a record of the head.
type commissionTop struct {
	query  *commissionQuery
	column string
	most   int      // length of the head
	keys   []topKey // those found so far
	sorted int      // so many of them are the head of all up to here; 0: not enough are found
}

// bounded reports whether the query can be answered by [commissionTop]. The records of
// an invitee are few enough, and an index finds them.
func (q *commissionQuery) bounded(ctx context.Context, tx *store.Tx) (bool, error) {
	if q.limit == 0 || q.filter.UID != "" || q.limit+q.offset > maxTop ||
		!slices.ContainsFunc(amountFields, func(f affiliate.Field[affiliate.Commission]) bool { return f.Name == q.order.Column }) {
		return false, nil
	}
	return bounded(ctx, tx)
}

// top yields a page of records sorted by an amount.
func (q *commissionQuery) top(ctx context.Context, tx *store.Tx, yield func(CommissionRow, error) bool) error {
	column := amountFields[slices.IndexFunc(amountFields, func(f affiliate.Field[affiliate.Commission]) bool { return f.Name == q.order.Column })].InStore()
	t := commissionTop{query: q, column: column, most: q.limit + q.offset}
	if err := t.find(ctx, tx); err != nil {
		return err
	}
	t.settle()
	return q.yieldRows(ctx, tx, t.keys[min(q.offset, len(t.keys)):], yield)
}

// before compares two keys in the order of the list.
func (t *commissionTop) before(a, b topKey) int {
	c := cmp.Or(store.CompareNumbers(a.value, b.value), cmp.Compare(a.id, b.id))
	if t.query.order.Descending {
		return -c
	}
	return c
}

// stretch is a line of bounds: no record of it comes before best.
type stretch struct {
	best        topKey
	first, last int64
}

func (t *commissionTop) stretches(ctx context.Context, tx *store.Tx, span affiliate.Range) (list []stretch, err error) {
	bound := "least_" + t.column
	if t.query.order.Descending {
		bound = "greatest_" + t.column
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT first_id, last_id, `+bound+` FROM commission_bounds
		WHERE last_deal_ms >= ? AND first_deal_ms < ?`, span.From.UnixMilli(), span.To.UnixMilli())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var s stretch
	for rows.Next() {
		if err := rows.Scan(&s.first, &s.last, &s.best.value); err != nil {
			return nil, err
		}
		s.best.id = s.first
		if t.query.order.Descending {
			s.best.id = s.last
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b stretch) int { return t.before(a.best, b.best) })
	return list, rows.Err()
}

func (t *commissionTop) find(ctx context.Context, tx *store.Tx) error {
	span := t.query.filter.Days.Range(tx.ReportingZone())
	list, err := t.stretches(ctx, tx, span)
	if err != nil || len(list) == 0 {
		return err
	}
	for at := 0; at < len(list); {
		if t.sorted > 0 && t.before(t.keys[t.most-1], list[at].best) < 0 {
			return nil
		}
		next := min(len(list), at+1+at/stretchesAhead)
		if err := t.scan(ctx, tx, span, list[at:next]); err != nil {
			return err
		}
		at = next
		if len(t.keys) >= t.most && (t.sorted == 0 || len(t.keys) > t.most+t.most/4) {
			t.settle()
		}
	}
	return nil
}

// stretchesAhead is the number of stretches after which one more is read at once. A
// question costs as much as some stretches if it has to look up invite codes; but what is
// read at once is read in vain if the first of it completes the head.
const stretchesAhead = 8

// scan adds the records of stretches that may belong to the head.
func (t *commissionTop) scan(ctx context.Context, tx *store.Tx, span affiliate.Range, list []stretch) error {
	w := t.query.filter.Rows(span)
	// The ids are a narrower range than any index. The limit, which no result reaches, keeps
	// planners from applying the other conditions first.
	rows, err := tx.QueryContext(ctx, `
		SELECT c.id, c.`+t.column+` FROM (
			SELECT r.* FROM json_each(?) s CROSS JOIN commissions r
			WHERE r.id BETWEEN CAST(s.value ->> 0 AS BIGINT) AND CAST(s.value ->> 1 AS BIGINT) LIMIT ?) c
		WHERE `+w.String(), append([]any{idsOf(list), int64(store.NoLimit)}, w.Args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var key topKey
	for rows.Next() {
		if err := rows.Scan(&key.id, &key.value); err != nil {
			return err
		}
		if t.sorted == 0 || t.before(key, t.keys[t.most-1]) < 0 {
			t.keys = append(t.keys, key)
		}
	}
	return rows.Err()
}

// idsOf returns the ids of stretches as JSON: a pair for each.
func idsOf(list []stretch) string {
	b := []byte{'['}
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), s.first, 10)
		b = append(strconv.AppendInt(append(b, ','), s.last, 10), ']')
	}
	return string(append(b, ']'))
}

// settle keeps the head of the keys found so far, in order.
func (t *commissionTop) settle() {
	slices.SortFunc(t.keys, t.before)
	if len(t.keys) >= t.most {
		t.keys, t.sorted = t.keys[:t.most], t.most
	}
}

// yieldRows yields the records of the keys.
func (q *commissionQuery) yieldRows(ctx context.Context, tx *store.Tx, keys []topKey, yield func(CommissionRow, error) bool) error {
	query := store.ForMembers(`SELECT c.deal_time_ms, c.opened_ms, ` + q.texts() + q.from() + ` WHERE c.id = ?`) // of records that passed the filter
	var row CommissionRow
	targets := []any{&row.DealTime, &row.FirstSeen}
	for _, text := range row.texts() {
		targets = append(targets, text)
	}
	for _, key := range keys {
		if err := tx.QueryRowContext(ctx, query, key.id).Scan(targets...); err != nil {
			return err
		}
		if !yield(row, nil) {
			return nil
		}
	}
	return nil
}
