package affiliate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// FieldKind says what the values of a field are.
type FieldKind int

// Kinds of fields. Those from RateField on are decimals.
const (
	TextField   FieldKind = iota
	UIDField              // digits, but no number
	CoinField             // the coin of the amounts of the record
	TimeField             // milliseconds since 1970
	RateField             // an exact decimal whose sum means nothing
	AmountField           // an exact decimal in the coin of the record
	VolumeField           // an exact decimal in about the quote currency, whatever the coin of the record
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

// Decimal reports whether values are decimals, which are ordered by their number and not as text.
func (f Field[T]) Decimal() bool { return f.Kind >= RateField }

// Text returns the value of a field that is stored as text.
func (f Field[T]) Text(record *T) string { return *f.Target(record).(*string) }

// Fields are the fields of a record in the order of its columns.
type Fields[T any] []Field[T]

// InStore lists the columns of the database, each in a form such as "c.%[1]s", with commas between.
func (list Fields[T]) InStore(form string) string {
	columns := make([]string, len(list))
	for i, f := range list {
		columns[i] = fmt.Sprintf(form, f.InStore())
	}
	return strings.Join(columns, ", ")
}

// Place is the index of the field with a column; -1: there is none.
func (list Fields[T]) Place(column string) int {
	return slices.IndexFunc(list, func(f Field[T]) bool { return f.Column == column })
}

// After returns the fields after the one with the column: those that came later.
func (list Fields[T]) After(column string) Fields[T] { return list[list.Place(column)+1:] }
