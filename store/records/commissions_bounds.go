package records

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// boundRows is the largest number of records of one line of bounds. With fewer, the lines
// themselves cost more to read than the records that they spare.
const boundRows = 256

// amountFields are the fields of a record that are ordered by value.
var amountFields = func() (list Fields[affiliate.Commission]) {
	for _, f := range commissionFields {
		if f.Decimal() {
			list = append(list, f)
		}
	}
	return list
}()

// boundColumns lists the columns of a line of bounds.
var boundColumns = func() string {
	columns := []string{"last_deal_ms", "first_id", "last_id", "first_deal_ms"}
	for _, f := range amountFields {
		columns = append(columns, "least_"+f.InStore(), "greatest_"+f.InStore())
	}
	return strings.Join(columns, ", ")
}()

// bounds collects lines of bounds of records with ascending ids.
type bounds struct {
	lines           *store.Batch
	n               int64 // records of the line
	lastID          int64
	first, last     affiliate.Millis
	least, greatest []string // by amountFields
	row             []any
}

func newBounds(ctx context.Context, tx *store.Tx) *bounds {
	return &bounds{lines: store.NewBatch(ctx, tx, "commission_bounds", boundColumns, ""),
		least: make([]string, len(amountFields)), greatest: make([]string, len(amountFields))}
}

// add adds a record. Its id is one more than that of the record before it in its line.
func (b *bounds) add(id int64, c *affiliate.Commission) error {
	if b.n == boundRows || b.n > 0 && id != b.lastID+1 {
		if err := b.end(); err != nil {
			return err
		}
	}
	first := b.n == 0
	if first {
		b.first, b.last = c.DealTime, c.DealTime
	}
	b.n, b.lastID = b.n+1, id
	b.first, b.last = min(b.first, c.DealTime), max(b.last, c.DealTime)
	for i, f := range amountFields {
		value := *f.Target(c).(*string)
		if first {
			b.least[i], b.greatest[i] = value, value
		} else if store.CompareNumbers(value, b.greatest[i]) > 0 {
			b.greatest[i] = value
		} else if store.CompareNumbers(value, b.least[i]) < 0 {
			b.least[i] = value
		}
	}
	return nil
}

// end ends the line.
func (b *bounds) end() error {
	if b.n == 0 {
		return nil
	}
	b.row = append(b.row[:0], int64(b.last), b.lastID-b.n+1, b.lastID, int64(b.first))
	for i := range amountFields {
		b.row = append(b.row, b.least[i], b.greatest[i])
	}
	b.n = 0
	return b.lines.Add(b.row...)
}

// write writes what is collected.
func (b *bounds) write() error {
	if err := b.end(); err != nil {
		return err
	}
	return b.lines.Flush()
}

// lastCommission returns the id of the newest record. Those that follow get the next ids,
// so that bounds are of adjacent ids: a sequence of PostgreSQL would leave a gap after each
// write that failed.
func lastCommission(ctx context.Context, tx *store.Tx) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM commissions`).Scan(&id)
	return id, err
}

// bounded reports whether every record is within bounds.
func bounded(ctx context.Context, tx *store.Tx) (yes bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT bounded FROM meta WHERE id = 1`).Scan(&yes)
	return yes, err
}

// makeBounds builds the bounds if a migration has left them to be built. It takes about a
// second per million records.
func makeBounds(ctx context.Context, s *store.Store) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if made, err := bounded(ctx, r); err != nil || made {
		return err
	}
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		// Another process may have built them meanwhile.
		if made, err := bounded(ctx, tx); err != nil || made {
			return err
		}
		return remakeBounds(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("making the bounds of amounts: %w", err)
	}
	return nil
}

func remakeBounds(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM commission_bounds`); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, `+CommissionColumnList("")+` FROM commissions ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	b := newBounds(ctx, tx)
	var id int64
	var c affiliate.Commission
	targets := append([]any{&id}, CommissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := b.add(id, &c); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := b.write(); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE meta SET bounded = 1`)
	return err
}

// OutOfBounds returns the ids of records, at most most, that do not lie within exactly one
// line of bounds. It returns none if the bounds are not made.
func OutOfBounds(ctx context.Context, tx *store.Tx, most int) (ids []int64, err error) {
	if made, err := bounded(ctx, tx); err != nil || !made {
		return nil, err
	}
	lines, err := store.Scanned(ctx, tx, scanBoundLine, `SELECT `+boundColumns+` FROM commission_bounds ORDER BY first_id`)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, `+CommissionColumnList("")+` FROM commissions ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var id int64
	var c affiliate.Commission
	targets := append([]any{&id}, CommissionTargets(&c)...)
	for rows.Next() && len(ids) < most {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		for len(lines) > 0 && lines[0].lastID < id {
			lines = lines[1:]
		}
		if len(lines) == 0 || !lines[0].holds(id, &c) || len(lines) > 1 && lines[1].firstID <= id {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

// boundLine is a stored line of bounds.
type boundLine struct {
	firstID, lastID int64
	first, last     affiliate.Millis
	limits          []string // least and greatest of each amount, by amountFields
}

func scanBoundLine(rows *sql.Rows) (boundLine, error) {
	l := boundLine{limits: make([]string, 2*len(amountFields))}
	targets := []any{&l.last, &l.firstID, &l.lastID, &l.first}
	for i := range l.limits {
		targets = append(targets, &l.limits[i])
	}
	return l, rows.Scan(targets...)
}

func (l *boundLine) holds(id int64, c *affiliate.Commission) bool {
	if id < l.firstID || c.DealTime < l.first || c.DealTime > l.last {
		return false
	}
	for i, f := range amountFields {
		value := *f.Target(c).(*string)
		if store.CompareNumbers(value, l.limits[2*i]) >= 0 && store.CompareNumbers(value, l.limits[2*i+1]) <= 0 {
			continue
		}
		// The place of what is not a plain number means nothing; it is reported as such.
		if n, err := affiliate.ParseNumber(value); value == "" || err == nil && string(n) == value {
			return false
		}
	}
	return true
}
