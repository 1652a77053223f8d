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
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Table declares how a kind of rows is stored, and what of it people are told. It has the columns id,
// actor, created_ms and removed_ms besides those that it lists.
type Table[T any] struct {
	Name    string // in the database; empty: the rows are in the table kept, under their Noun
	Noun    string // of one row, for people and the audit log: "goal"
	Columns []Column[T]
	Stamp   func(row *T) Stamp
	Order   string // of lists, with the alias t of the table, and a of the accounts if there is a column of them; empty: as written

	// Check puts a row into the form in which it is stored. What breaks a rule is a *[store.RuleError].
	Check func(row *T) error
	// Fits refuses a row that does not go with the others in force. before is the row that it replaces;
	// nil: it is new.
	Fits func(ctx context.Context, tx *store.Tx, in *Table[T], row, before *T) error
	// Complete gives rows that were read what they have from elsewhere, at an instant, where unknown means
	// now, and may sort them; nil: nothing.
	Complete func(ctx context.Context, r *store.Tx, at affiliate.Millis, list []T) error
	// Words are those of the audit log. before is the row that this one replaces, or nil.
	Words func(row, before *T) (object, detail string)

	Actor    string // the column of who wrote a row; empty: actor
	Ended    string // the column of when a row ended; empty: removed_ms
	EndedBy  string // the column of who ended it, '' in force; empty: there is none
	Forever  bool   // rows do not end
	Numbered bool   // the database numbers the rows, instead of random ids
	// Shown says that users see rows who are bound to some invitees: the program compares what a row is
	// about with what they may see.
	Shown bool
}

// Column is a column and where a row has its value: what is scanned into and written from.
type Column[T any] struct {
	Name   string
	Value  func(row *T) any
	SQL    string                      // how it is read; empty: as it is
	write  func(row *T) any            // nil: as Value
	named  func(*T) *affiliate.Account // of the column of the account
	needed bool
}

// Stamp is where a row has what the store adds. What its table lacks may be nil.
type Stamp struct {
	ID      *int64
	Actor   *string
	Created *affiliate.Millis
	Ended   *affiliate.Millis // unknown: in force
	EndedBy *string
}

// Text is a column of text, a number or a flag, whose value is at a place of the row.
func Text[T, V any](name string, at func(*T) *V) Column[T] {
	return Column[T]{Name: name, Value: func(row *T) any { return at(row) }}
}

// Day is a column of a day.
func Day[T any](name string, at func(*T) *affiliate.Day) Column[T] {
	return Column[T]{Name: name, Value: func(row *T) any { return (*store.DayText)(at(row)) }}
}

// DayOrNone is a column of a day that is NULL for the zero day.
func DayOrNone[T any](name string, at func(*T) *affiliate.Day) Column[T] {
	return Column[T]{Name: name, Value: func(row *T) any { return store.Opt((*store.DayText)(at(row))) }}
}

// Derived is a column that is written and never read, such as a name without its letter case.
func Derived[T any](name string, of func(*T) any) Column[T] {
	return Column[T]{Name: name, write: of}
}

// Account is the column account_id; the row has the name, which is empty for every account. If it is
// needed, the row has one.
func Account[T any](needed bool, at func(*T) *affiliate.Account) Column[T] {
	return Column[T]{Name: "account_id", SQL: `coalesce(a.name, '')`, Value: func(row *T) any { return at(row) }, named: at, needed: needed}
}

// name returns the name in the database.
func (t *Table[T]) name() string { return cmp.Or(t.Name, "kept") }

// sql returns how a column is read.
func (t *Table[T]) sql(c Column[T]) string {
	switch {
	case c.SQL != "":
		return c.SQL
	case t.Name == "":
		return `json_extract(t.fields, '$.` + c.Name + `')`
	}
	return "t." + c.Name
}

// own adds the condition on rows of the table, of which kept has several.
func (t *Table[T]) own(w *store.Where) {
	if t.Name == "" {
		w.Add(`t.kind = ?`, t.Noun)
	} else {
		w.Add(`1 = 1`)
	}
}

func (t *Table[T]) account() (of Column[T], ok bool) {
	for _, c := range t.Columns {
		if c.named != nil {
			return c, true
		}
	}
	return of, false
}

func (t *Table[T]) actor() string { return cmp.Or(t.Actor, "actor") }
func (t *Table[T]) ended() string { return cmp.Or(t.Ended, "removed_ms") }

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
			*stamp.Ended, *stamp.EndedBy = 0, ""
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
	if t.EndedBy != "" {
		columns = append(columns, "t."+t.ended(), "t."+t.EndedBy)
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
		if t.EndedBy != "" {
			into = append(into, store.Opt(stamp.Ended), stamp.EndedBy)
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
	was, err := t.read(ctx, r, 0, Row(id), t.Order)
	switch {
	case err != nil:
		return row, err
	case len(was) == 0:
		return row, &store.RuleError{Problem: "There is no such " + t.Noun + ".", Missing: true}
	}
	return row, &store.RuleError{Problem: "This " + t.Noun + " was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true}
}

// Row is the condition on the id of a row.
func Row(id int64) (w store.Where) {
	w.Add(`t.id = ?`, id)
	return w
}

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

// Restore adds a removed row again, together with its line of the audit log, and returns its new id. A
// row that was changed instead of removed, one that was restored already or does not fit any more, and
// one that is not there are a *[store.RuleError].
func (t *Table[T]) Restore(ctx context.Context, s *store.Store, id int64, by audit.Line) (restored int64, err error) {
	notRemoved := &store.RuleError{Problem: "This " + t.Noun + " was not removed, or was restored already.", Stale: true}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		list, err := t.read(ctx, tx, 0, Row(id), t.Order)
		if err != nil {
			return err
		}
		// A change adds the next row at the instant at which it ends the one before, and no other write
		// has its stamp.
		var removed bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.name()+` t WHERE t.id = ? AND t.`+t.ended()+` IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM `+t.name()+` n WHERE n.created_ms = t.`+t.ended()+`))`, id).Scan(&removed)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return &store.RuleError{Problem: "There is no such " + t.Noun + ".", Missing: true}
		case !removed:
			return notRemoved
		}
		row := list[0]
		present, err := t.List(ctx, tx, 0, store.Where{})
		if err != nil {
			return err
		}
		if slices.ContainsFunc(present, func(other T) bool { return reflect.DeepEqual(t.unstamped(other), t.unstamped(row)) }) {
			return notRemoved
		}
		if err := t.fits(ctx, tx, &row, nil); err != nil {
			return err
		}
		by.Action = cmp.Or(by.Action, t.Noun+" restored")
		restored, err = t.Insert(ctx, s, tx, stamp, row, nil, by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("restoring the %s: %w", t.Noun, err)
	}
	return restored, nil
}

// unstamped returns what people gave of a row.
func (t *Table[T]) unstamped(row T) T {
	stamp := t.Stamp(&row)
	*stamp.ID, *stamp.Actor, *stamp.Created = 0, "", 0
	if stamp.Ended != nil {
		*stamp.Ended, *stamp.EndedBy = 0, ""
	}
	return row
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
