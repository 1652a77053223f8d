package dated

import (
	"cmp"
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
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
