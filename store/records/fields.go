package records

import (
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Field is one stored field of a record. Every statement about a record is built from its
// table of fields. A new field is therefore added in one place of the store, and no list of
// columns can disagree with its scan targets.
type Field[T any] struct {
	Name    string // name for sorting; empty: not sortable
	Column  string
	Decimal bool // ordered by value, not as text
	// Target returns what the column is scanned into and written from: a *string, an *int64
	// or a *store.DayText. database/sql scans into other types by reflection.
	Target func(record *T) any
}

// Fields are the fields of a record in the order of its columns.
type Fields[T any] []Field[T]

// Columns lists the columns; of is the table's alias with its dot, or empty.
func (list Fields[T]) Columns(of string) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(of + f.Column)
	}
	return b.String()
}

// Targets returns what a row of the columns is scanned into.
func (list Fields[T]) Targets(record *T) []any {
	targets := make([]any, len(list))
	for i, f := range list {
		targets[i] = f.Target(record)
	}
	return targets
}

// values appends the column values of a record.
func (list Fields[T]) values(into []any, record *T) []any {
	for _, f := range list {
		into = append(into, f.value(record))
	}
	return into
}

func (f Field[T]) value(record *T) any {
	switch v := f.Target(record).(type) {
	case *string:
		return *v
	case *int64:
		return *v
	case *store.DayText:
		return affiliate.Day(*v).String()
	default:
		panic(fmt.Sprintf("records: column %s has a target of type %T", f.Column, v))
	}
}

// names lists the names by which rows can be sorted.
func (list Fields[T]) names() []string {
	var names []string
	for _, f := range list {
		if f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// order returns the term of ORDER BY for a name.
func (list Fields[T]) order(of, name string) (string, error) {
	for _, f := range list {
		switch {
		case f.Name == "" || f.Name != name:
		case f.Decimal:
			return of + f.Column + " COLLATE decimal", nil
		default:
			return of + f.Column, nil
		}
	}
	return "", fmt.Errorf("cannot sort by %q", name)
}
