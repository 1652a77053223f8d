package dated

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// inForce adds the condition that rows hold at an instant, where unknown means now.
func (t *Table[T]) inForce(w *store.Where, at affiliate.Millis) {
	ended := "t." + t.ended()
	switch {
	case t.Forever && at.Known():
		w.Add(`t.created_ms <= ?`, int64(at))
	case t.Forever:
	case at.Known():
		w.Add(`t.created_ms <= ? AND (`+ended+` IS NULL OR `+ended+` > ?)`, int64(at), int64(at))
	default:
		w.Add(ended + ` IS NULL`)
	}
}

// List lists the rows that hold at an instant, where unknown means now, and fulfil further conditions
// on the table t.
func (t *Table[T]) List(ctx context.Context, r *store.Tx, at affiliate.Millis, w store.Where) ([]T, error) {
	t.inForce(&w, at)
	return t.read(ctx, r, at, w, t.Order)
}

// History lists all rows up to an instant, where unknown means now, in the order of an SQL term. What
// ended later is not said to have ended.
func (t *Table[T]) History(ctx context.Context, r *store.Tx, at affiliate.Millis, w store.Where, order string) ([]T, error) {
	if at.Known() {
		w.Add(`t.created_ms <= ?`, int64(at))
	}
	list, err := t.read(ctx, r, at, w, order)
	for i := range list {
		if stamp := t.Stamp(&list[i]); at.Known() && stamp.Ended != nil && *stamp.Ended > at {
			*stamp.Ended = 0
			if stamp.EndedBy != nil {
				*stamp.EndedBy = ""
			}
		}
	}
	return list, err
}

func (t *Table[T]) read(ctx context.Context, r *store.Tx, at affiliate.Millis, w store.Where, order string) ([]T, error) {
	columns := []string{"t.id", "t." + t.actor(), "t.created_ms"}
	for _, c := range t.Columns {
		if c.Value != nil {
			columns = append(columns, t.sql(c))
		}
	}
	var blank T
	ends := t.Stamp(&blank).Ended != nil
	if ends {
		columns = append(columns, "t."+t.ended())
	}
	if t.EndedBy != "" {
		columns = append(columns, "t."+t.EndedBy)
	}
	text := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + t.name() + ` t`
	if _, ok := t.account(); ok {
		text += ` LEFT JOIN accounts a ON a.id = t.account_id`
	}
	t.own(&w)
	text += ` WHERE ` + w.String() + ` ORDER BY ` + cmp.Or(order, `t.created_ms, t.id`)
	if t.Shown {
		text = store.ForMembers(text) // see Shown
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (row T, err error) {
		stamp := t.Stamp(&row)
		into := []any{stamp.ID, stamp.Actor, stamp.Created}
		for _, c := range t.Columns {
			if c.Value != nil {
				into = append(into, c.Value(&row))
			}
		}
		if ends {
			into = append(into, store.Opt(stamp.Ended))
		}
		if t.EndedBy != "" {
			into = append(into, stamp.EndedBy)
		}
		return row, rows.Scan(into...)
	}, text, w.Args...)
	if err == nil && t.Complete != nil {
		err = t.Complete(ctx, r, at, list)
	}
	if err != nil {
		return nil, fmt.Errorf("reading each %s: %w", t.Noun, err)
	}
	return list, nil
}

// Get returns a row in force. One that is not there is a *[store.RuleError], which is Stale if it once was.
func (t *Table[T]) Get(ctx context.Context, r *store.Tx, id int64) (row T, err error) {
	list, err := t.List(ctx, r, 0, Row(id))
	if err != nil {
		return row, err
	}
	if len(list) > 0 {
		return list[0], nil
	}
	if _, err = t.Find(ctx, r, id); err != nil {
		return row, err
	}
	return row, &store.RuleError{Problem: "This " + t.Noun + " was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true}
}

// Find returns a row that is or was in force. One that never was there is a missing *[store.RuleError].
func (t *Table[T]) Find(ctx context.Context, r *store.Tx, id int64) (row T, err error) {
	list, err := t.read(ctx, r, 0, Row(id), t.Order)
	if err == nil && len(list) == 0 {
		err = &store.RuleError{Problem: "There is no such " + t.Noun + ".", Missing: true}
	}
	if err != nil {
		return row, err
	}
	return list[0], nil
}

// Row is the condition on the id of a row.
func Row(id int64) (w store.Where) {
	w.Add(`t.id = ?`, id)
	return w
}

// Same lists the rows in force that have a value in a column.
func (t *Table[T]) Same(ctx context.Context, r *store.Tx, column string, value any) ([]T, error) {
	var w store.Where
	w.Add(t.sql(Column[T]{Name: column})+` = ?`, value)
	return t.List(ctx, r, 0, w)
}

// Room refuses a further row if as many are in force as there may be.
func (t *Table[T]) Room(ctx context.Context, tx *store.Tx, most int) error {
	var w store.Where
	t.own(&w)
	t.inForce(&w, 0)
	var kept int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+t.name()+` t WHERE `+w.String(), w.Args...).Scan(&kept); err != nil {
		return err
	}
	if kept >= most {
		return store.Refuse("There are %d %ss, which is the most: remove some first.", kept, t.Noun)
	}
	return nil
}
