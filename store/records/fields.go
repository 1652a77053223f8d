package records

import (
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Fields are the fields of a record in the order of its columns. Every statement about a record
// is built from them: no list of columns can disagree with its scan targets.
type Fields[T any] affiliate.Fields[T]

// Columns lists the columns; of is the table's alias with its dot, or empty.
func (list Fields[T]) Columns(of string) string { return affiliate.Fields[T](list).InStore(of + "%s") }

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
		into = append(into, valueOf(f, record))
	}
	return into
}

func valueOf[T any](f affiliate.Field[T], record *T) any {
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
		case f.Decimal():
			return of + f.InStore() + " COLLATE decimal", nil
		default:
			return of + f.InStore(), nil
		}
	}
	return "", fmt.Errorf("cannot sort by %q", name)
}
