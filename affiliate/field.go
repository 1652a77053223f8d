package affiliate

import (
	"cmp"
	"slices"
)

// FieldKind says what the values of a field are.
type FieldKind int

// Kinds of fields.
const (
	TextField   FieldKind = iota
	UIDField              // digits, but no number
	CoinField             // the coin of the amounts of the record
	TimeField             // milliseconds since 1970
	RateField             // an exact decimal whose sum means nothing
	AmountField           // an exact decimal
)

// Field is a field of a record with all that is the same wherever it has a column.
type Field[T any] struct {
	Column string // in files and SQL views, snake_case
	Stored string // column of the database; empty: the same
	Name   string // in sort= and cols=; empty: neither sorted nor chosen by
	Kind   FieldKind
	Label  string // heading on pages
	Hint   string // what the heading does not say; may be empty
	Words  string // meaning and unit, for the description of files
	Chosen bool   // a reader may hide the column on pages
	// Target returns what a column is scanned into and written from: a *string, an *int64 or
	// what package store names. database/sql scans into other types by reflection.
	Target func(record *T) any
}

// InStore is the column of the database.
func (f Field[T]) InStore() string { return cmp.Or(f.Stored, f.Column) }

// Decimal reports whether values are ordered by their number, not as text.
func (f Field[T]) Decimal() bool { return f.Kind == RateField || f.Kind == AmountField }

// Text returns the value of a field that is stored as text.
func (f Field[T]) Text(record *T) string { return *f.Target(record).(*string) }

// Fields are the fields of a record in the order of its columns.
type Fields[T any] []Field[T]

// After returns the fields after the one with the column: those that came later.
func (list Fields[T]) After(column string) Fields[T] {
	return list[slices.IndexFunc(list, func(f Field[T]) bool { return f.Column == column })+1:]
}
