package records

import (
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// field is one stored field of a record. Every statement about a record is built from its
// table of fields. A new field is therefore added in one place of the store, and no list of
// columns can disagree with its scan targets.
type field[T any] struct {
	name    string // name for sorting; empty: not sortable
	column  string
	decimal bool // ordered by value, not as text
	// target returns what the column is scanned into and written from: a *string, an *int64
	// or a *store.DayText. database/sql scans into other types by reflection.
	target func(record *T) any
}

// fields are the fields of a record in the order of its columns.
type fields[T any] []field[T]

// columns lists the columns; of is the table's alias with its dot, or empty.
func (list fields[T]) columns(of string) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(of + f.column)
	}
	return b.String()
}

// targets returns what a row of the columns is scanned into.
func (list fields[T]) targets(record *T) []any {
	targets := make([]any, len(list))
	for i, f := range list {
		targets[i] = f.target(record)
	}
	return targets
}

// values appends the column values of a record.
func (list fields[T]) values(into []any, record *T) []any {
	for _, f := range list {
		into = append(into, f.value(record))
	}
	return into
}

func (f field[T]) value(record *T) any {
	switch v := f.target(record).(type) {
	case *string:
		return *v
	case *int64:
		return *v
	case *store.DayText:
		return affiliate.Day(*v).String()
	default:
		panic(fmt.Sprintf("records: column %s has a target of type %T", f.column, v))
	}
}

// names lists the names by which rows can be sorted.
func (list fields[T]) names() []string {
	var names []string
	for _, f := range list {
		if f.name != "" {
			names = append(names, f.name)
		}
	}
	return names
}

// order returns the term of ORDER BY for a name.
func (list fields[T]) order(of, name string) (string, error) {
	for _, f := range list {
		switch {
		case f.name == "" || f.name != name:
		case f.decimal:
			return of + f.column + " COLLATE decimal", nil
		default:
			return of + f.column, nil
		}
	}
	return "", fmt.Errorf("cannot sort by %q", name)
}
