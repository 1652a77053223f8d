package records

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// QuarantineRow is a record of a slice that could not be read, or one of which a field could not
// be read. It is kept as received until a reading no longer has it.
type QuarantineRow struct {
	Day    affiliate.Day // UTC
	Field  string        // that could not be read; empty: the whole is no record
	Value  string        // of the field, as JSON, shortened; empty: it was not given
	Reason string        // after the name of the field: "is not a number"
	Record string        // as received, shortened
	Copies int           // equal ones
	Spared bool          // only the field is left out, which no figure needs: the record counts

	read any // what could be read: a record of the stream's type, or nil
}

// QuarantineRowOf returns what could not be read of one record, of a UTC day.
func QuarantineRowOf[T any](day affiliate.Day, q affiliate.Quarantined[T], spared bool) QuarantineRow {
	return QuarantineRow{Day: day, Field: q.Field, Value: q.Value, Reason: q.Reason, Record: q.Raw, Copies: 1, Spared: spared, read: q.Record}
}

// String names field, value and reason, see [affiliate.Quarantined].
func (q QuarantineRow) String() string {
	return affiliate.Quarantined[struct{}]{Field: q.Field, Value: q.Value, Reason: q.Reason}.String()
}

// mostQuarantinedOfDay limits the quarantined records of a day that are kept one by one. Further
// ones are counted together.
const mostQuarantinedOfDay = 50

// further is the reason of records that are only counted.
const further = "further records that could not be read"

// identity is what makes two quarantined records the same.
func (q QuarantineRow) identity() QuarantineRow {
	q.Copies, q.read = 0, nil
	return q
}

// gathered adds up equal records, in a fixed order, and limits those of a day.
func gathered(list []QuarantineRow) []QuarantineRow {
	counts := map[QuarantineRow]int{}
	for _, q := range list {
		counts[q.identity()] += max(q.Copies, 1)
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b QuarantineRow) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(btoi(a.Spared), btoi(b.Spared)), cmp.Compare(a.Record, b.Record), cmp.Compare(a.Field, b.Field))
	})
	type part struct {
		day    affiliate.Day
		spared bool
	}
	var kept []QuarantineRow
	of, rest := map[part]int{}, map[part]int{}
	for _, q := range order {
		n := counts[q]
		p := part{q.Day, q.Spared}
		if of[p]++; of[p] > mostQuarantinedOfDay {
			rest[p] += n
			continue
		}
		q.Copies = n
		kept = append(kept, q)
	}
	for p, n := range rest {
		kept = append(kept, QuarantineRow{Day: p.day, Reason: further, Copies: n, Spared: p.spared})
	}
	return kept
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// quarantine makes the open quarantine of the slice's days equal to the slice's, and adds the days on
// which that changed something.
func quarantine(ctx context.Context, tx *store.Tx, account int64, slice Slice, stamp affiliate.Millis, days touched) error {
	open := map[QuarantineRow]int64{}
	rows, err := tx.QueryContext(ctx, `
		SELECT id, day, field, value, reason, record, copies, spared FROM quarantine
		WHERE account_id = ? AND stream = ? AND product = ? AND day BETWEEN ? AND ? AND closed_ms IS NULL`,
		account, string(slice.Stream.Kind), string(slice.Stream.Product), slice.Days.First.String(), slice.Days.Last.String())
	if err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var q QuarantineRow
		var spared int
		if err := rows.Scan(&id, (*store.DayText)(&q.Day), &q.Field, &q.Value, &q.Reason, &q.Record, &q.Copies, &spared); err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
		q.Spared = spared == 1
		open[q] = id
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	for _, q := range gathered(slice.Quarantine) {
		if !slice.Days.Contains(q.Day) {
			return fmt.Errorf("quarantine: a record of %s does not belong to %s", q.Day, slice.Range())
		}
		if _, known := open[q]; known {
			delete(open, q)
			continue
		}
		days[q.Day] = true
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO quarantine (account_id, stream, product, day, field, value, reason, record, copies, spared, opened_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			account, string(slice.Stream.Kind), string(slice.Stream.Product), q.Day.String(), q.Field, q.Value, q.Reason, q.Record, q.Copies, btoi(q.Spared), stamp); err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
	}
	for q, id := range open {
		days[q.Day] = true
		if _, err := tx.ExecContext(ctx, `UPDATE quarantine SET closed_ms = ? WHERE id = ?`, stamp, id); err != nil {
			return fmt.Errorf("quarantine: %w", err)
		}
	}
	return nil
}

// notice returns how many records of a slice could not be read, and what of the first ones.
func notice(list []QuarantineRow) (n int, words sql.NullString) {
	var counted []QuarantineRow
	for _, q := range gathered(list) {
		if !q.Spared {
			n += q.Copies
			counted = append(counted, q)
		}
	}
	if n > 0 {
		words = sql.NullString{Valid: true, String: QuarantineWords(n, counted)}
	}
	return n, words
}

// QuarantineWords says that n records could not be read, and names what of the first: `1 record could not
// be read: commission "abc" is not a number`.
func QuarantineWords(n int, list []QuarantineRow) string {
	text := "1 record could not be read"
	if n != 1 {
		text = strconv.Itoa(n) + " records could not be read"
	}
	if len(list) == 0 {
		return text
	}
	if n > 1 {
		text += ", one of them since"
	} else {
		text += ":"
	}
	return text + " " + list[0].String()
}

// unread counts what could not be read of a day, with the first of it.
type unread struct {
	n    int
	list []QuarantineRow
}

type unreadDay struct {
	account affiliate.Account
	stream  affiliate.Stream
	day     affiliate.Day
}

// unreadDays returns the records in quarantine, without the spared ones, by day: at present, or
// as of an instant. An empty account means all.
func unreadDays(ctx context.Context, r *store.Tx, account affiliate.Account, days affiliate.Days, asOf affiliate.Millis) (map[unreadDay]unread, error) {
	all := map[unreadDay]unread{}
	for line, err := range QuarantineLines(ctx, r, QuarantineFilter{Account: account, Days: days, AsOf: asOf}) {
		if err != nil {
			return nil, err
		}
		if line.Spared {
			continue
		}
		key := unreadDay{line.Account, line.Stream, line.Day}
		u := all[key]
		u.n, u.list = u.n+line.Copies, append(u.list, line.QuarantineRow)
		all[key] = u
	}
	return all, nil
}

// QuarantineFilter narrows the quarantine. Empty fields do not narrow.
type QuarantineFilter struct {
	Account affiliate.Account
	Days    affiliate.Days   // UTC
	AsOf    affiliate.Millis // as known at that instant; unknown means now
}

// QuarantineLine is a record in quarantine.
type QuarantineLine struct {
	QuarantineRow
	Account   affiliate.Account
	Stream    affiliate.Stream
	FirstSeen affiliate.Millis
}

// QuarantineLines yields the records in quarantine, the newest day first. The sequence ends with the
// first error.
func QuarantineLines(ctx context.Context, r *store.Tx, f QuarantineFilter) func(yield func(QuarantineLine, error) bool) {
	var w store.Where
	if f.AsOf.Known() {
		w.Add(`q.opened_ms <= ? AND (q.closed_ms IS NULL OR q.closed_ms > ?)`, int64(f.AsOf), int64(f.AsOf))
	} else {
		w.Add(`q.closed_ms IS NULL`)
	}
	if f.Account != "" {
		w.Add(`a.name = ?`, f.Account)
	}
	if f.Days != (affiliate.Days{}) {
		w.Add(`q.day BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	}
	return func(yield func(QuarantineLine, error) bool) {
		var spared int
		// A reader of some invitees only gets nothing of it but that days are incomplete: reports leave
		// the rest out.
		for line, err := range store.Sequence(ctx, r, "reading the quarantine", func(l *QuarantineLine) []any {
			return []any{(*string)(&l.Account), (*string)(&l.Stream.Kind), (*string)(&l.Stream.Product), (*store.DayText)(&l.Day), &l.Field, &l.Value, &l.Reason, &l.Record,
				&l.Copies, &spared, (*int64)(&l.FirstSeen)}
		}, store.ForMembers(`
			SELECT a.name, q.stream, q.product, q.day, q.field, q.value, q.reason, q.record, q.copies, q.spared, q.opened_ms
			FROM quarantine q JOIN accounts a ON a.id = q.account_id
			WHERE `+w.String()+` ORDER BY q.day DESC, a.name, q.stream, q.product, q.spared, q.id`), w.Args...) {
			line.Spared = spared == 1
			if !yield(line, err) {
				return
			}
		}
	}
}

// protect removes from the rows that a reading no longer has those that are the last good state
// of a quarantined record: an unreadable answer must not close what is known. Each quarantined
// record keeps one row at most, of its day, that agrees with all that could be read of it.
func protect[T comparable](list []QuarantineRow, gone map[T][]int64, fields Fields[T], day func(*T) affiliate.Day) {
	if len(gone) == 0 {
		return
	}
	for _, q := range list {
		read, ok := q.read.(T)
		if !ok || q.Spared {
			continue
		}
		var best T
		found, most, first := false, 0, int64(0)
		for row, ids := range gone {
			if day(&row) != q.Day {
				continue
			}
			equal, fits := fields.agree(&read, &row)
			if !fits || found && (equal < most || equal == most && ids[0] > first) {
				continue
			}
			best, found, most, first = row, true, equal, ids[0]
		}
		if !found {
			continue
		}
		if ids := gone[best]; len(ids) > 1 {
			gone[best] = ids[1:]
		} else {
			delete(gone, best)
		}
	}
}

// agree compares what could be read of a record with a whole one: how many fields are equal, and
// whether no field but an amount differs.
func (list Fields[T]) agree(read, whole *T) (equal int, fits bool) {
	for _, f := range list {
		value := valueOf(f, read)
		switch {
		case value == "" || value == int64(0) || value == affiliate.Day(0).String():
			continue // not read
		case value == valueOf(f, whole):
			equal++
		case !f.Decimal():
			return 0, false
		}
	}
	return equal, true
}
