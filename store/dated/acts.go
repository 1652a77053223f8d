package dated

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Add stores a new row, together with its line of the audit log, and returns its id. The action of the
// line is that of by, or else that the noun was added; the detail of by follows the words of the row.
// What breaks a rule is a *[store.RuleError].
func (t *Table[T]) Add(ctx context.Context, s *store.Store, row T, by audit.Line) (id int64, err error) {
	if err := t.check(&row); err != nil {
		return 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := t.fits(ctx, tx, &row, nil); err != nil {
			return err
		}
		id, err = t.Insert(ctx, s, tx, stamp, row, nil, by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("adding the %s: %w", t.Noun, err)
	}
	return id, nil
}

// Change ends a row in force and adds what change makes of it, together with its line of the audit log.
// A row that stays the same is left alone. What breaks a rule, and a row that is gone, are a
// *[store.RuleError].
func (t *Table[T]) Change(ctx context.Context, s *store.Store, id int64, change func(row *T) error, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := t.Get(ctx, tx, id)
		if err != nil {
			return err
		}
		row := before
		if err := change(&row); err != nil {
			return err
		}
		if err := t.check(&row); err != nil || reflect.DeepEqual(row, before) {
			return err
		}
		if err := t.fits(ctx, tx, &row, &before); err != nil {
			return err
		}
		if err := t.End(ctx, tx, stamp, by.Actor, Row(id)); err != nil {
			return err
		}
		by.Action = cmp.Or(by.Action, t.Noun+" changed")
		_, err = t.Insert(ctx, s, tx, stamp, row, &before, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("changing the %s: %w", t.Noun, err)
	}
	return nil
}

// Remove ends a row in force, together with its line of the audit log. One that is gone is a
// *[store.RuleError].
func (t *Table[T]) Remove(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		row, err := t.Get(ctx, tx, id)
		if err != nil {
			return err
		}
		return t.Finish(ctx, s, tx, stamp, row, by)
	})
	if err != nil {
		return fmt.Errorf("removing the %s: %w", t.Noun, err)
	}
	return nil
}

// Finish is [Table.Remove] of a row within a write.
func (t *Table[T]) Finish(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, row T, by audit.Line) error {
	if err := t.End(ctx, tx, stamp, by.Actor, Row(*t.Stamp(&row).ID)); err != nil {
		return err
	}
	by.Action = cmp.Or(by.Action, t.Noun+" removed")
	by.Object, by.Detail = t.Words(&row, nil)
	return audit.Append(ctx, s, tx, stamp, by)
}

// Restore adds a removed row again, together with its line of the audit log, and returns its new id, which
// the database does not number. A row that was changed instead of removed, one that was restored already or
// does not fit any more, and one that is not there are a *[store.RuleError].
func (t *Table[T]) Restore(ctx context.Context, s *store.Store, id int64, by audit.Line) (restored int64, err error) {
	refuse := func(why string) error {
		return &store.RuleError{Problem: "This " + t.Noun + " " + why + ".", Stale: true}
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		row, err := t.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		// A change adds the next row at the instant at which it ends the one before, and no other write
		// has its stamp.
		var removed, again bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name()+` t WHERE t.id = ? AND t.`+t.ended()+` IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM `+t.name()+` n WHERE n.created_ms = t.`+t.ended()+`)), EXISTS (SELECT 1 FROM `+t.name()+` WHERE id = ?)`, id, store.NextID(id)).Scan(&removed, &again)
		switch {
		case err != nil:
			return err
		case again:
			return refuse("was restored already")
		case !removed:
			return refuse("was not removed")
		}
		if err := t.fits(ctx, tx, &row, nil); err != nil {
			return err
		}
		by.Action = cmp.Or(by.Action, t.Noun+" restored")
		*t.Stamp(&row).ID = store.NextID(id)
		restored, err = t.insert(ctx, s, tx, stamp, row, nil, by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("restoring the %s: %w", t.Noun, err)
	}
	return restored, nil
}

func (t *Table[T]) check(row *T) error {
	if t.Check == nil {
		return nil
	}
	return t.Check(row)
}

func (t *Table[T]) fits(ctx context.Context, tx *store.Tx, row, before *T) error {
	if t.Fits == nil {
		return nil
	}
	return t.Fits(ctx, tx, t, row, before)
}

// Insert writes a row and its line of the audit log within a write, and returns its id. before is the
// row that it replaces, which the caller has ended; nil: it is new.
func (t *Table[T]) Insert(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, row T, before *T, by audit.Line) (id int64, err error) {
	*t.Stamp(&row).ID = 0
	return t.insert(ctx, s, tx, stamp, row, before, by)
}

// insert is [Table.Insert] of a row that may have its id.
func (t *Table[T]) insert(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, row T, before *T, by audit.Line) (id int64, err error) {
	if id, err = t.Write(ctx, tx, stamp, row, by.Actor); err != nil {
		return 0, err
	}
	object, detail := t.Words(&row, before)
	by.Action, by.Object, by.Detail = cmp.Or(by.Action, t.Noun+" added"), object, detail+by.Detail
	return id, audit.Append(ctx, s, tx, stamp, by)
}

// Write writes a row within a write whose line of the audit log the caller adds, and returns its id,
// which is a new one if the row has none.
func (t *Table[T]) Write(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, row T, actor string) (id int64, err error) {
	columns, values := []string{t.actor(), "created_ms"}, []any{actor, stamp}
	add := func(column string, value any) { columns, values = append(columns, column), append(values, value) }
	fields := map[string]driver.Value{} // of the table kept
	if !t.Numbered {
		add("id", cmp.Or(*t.Stamp(&row).ID, store.RandomID()))
	}
	if t.EndedBy != "" {
		add(t.EndedBy, "")
	}
	for _, c := range t.Columns {
		switch {
		case c.named != nil:
			account, err := accountOf(ctx, tx, *c.named(&row), c.needed)
			if err != nil {
				return 0, err
			}
			add(c.Name, store.Opt(&account))
		default:
			value := c.write
			if value == nil {
				value = func(row *T) any { return stored(c.Value(row)) }
			}
			if t.Name != "" {
				add(c.Name, value(&row))
				continue
			}
			plain, err := driver.DefaultParameterConverter.ConvertValue(value(&row))
			if err != nil {
				return 0, err
			}
			fields[c.Name] = plain
		}
	}
	if t.Name == "" {
		text, err := json.Marshal(fields)
		if err != nil {
			return 0, err
		}
		add("kind", t.Noun)
		add("fields", string(text))
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO `+t.name()+` (`+strings.Join(columns, ", ")+`) VALUES (?`+strings.Repeat(", ?", len(columns)-1)+`) RETURNING id`, values...).Scan(&id)
	return id, err
}

// stored returns the value at a place of a row, for the database.
func stored(at any) any {
	value := reflect.ValueOf(at)
	if value.Kind() != reflect.Pointer {
		return at
	}
	if _, ok := at.(driver.Valuer); ok && !value.Elem().Type().Implements(reflect.TypeFor[driver.Valuer]()) {
		return at
	}
	return value.Elem().Interface()
}

// End ends the rows in force that fulfil a condition on the table t, within a write whose line of the
// audit log the caller adds.
func (t *Table[T]) End(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, actor string, w store.Where) error {
	set, values := t.ended()+` = ?`, []any{stamp}
	if t.EndedBy != "" {
		set, values = set+`, `+t.EndedBy+` = ?`, append(values, actor)
	}
	t.own(&w)
	w.Add(`t.` + t.ended() + ` IS NULL`)
	_, err := tx.ExecContext(ctx, `UPDATE `+t.name()+` AS t SET `+set+` WHERE `+w.String(), append(values, w.Args...)...)
	return err
}

// accountOf returns the row ID of a stored account, or 0 for the empty name, which means every account.
func accountOf(ctx context.Context, tx *store.Tx, name affiliate.Account, needed bool) (id int64, err error) {
	if name == "" && !needed {
		return 0, nil
	}
	missing := &store.RuleError{Problem: fmt.Sprintf("There is no account %q.", name), Missing: true, Field: "account"}
	if strings.Contains(string(name), "\x00") {
		return 0, missing // PostgreSQL refuses such a text
	}
	err = tx.QueryRowContext(ctx, `SELECT id FROM accounts WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, missing
	}
	return id, err
}
