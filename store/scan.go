package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"iter"

	"rebatedesk/affiliate"
)

// DayText is a day in its stored form.
type DayText affiliate.Day

// Scan implements sql.Scanner.
func (d *DayText) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a stored day is %T, not text", value)
	}
	day, err := affiliate.ParseDay(text)
	*d = DayText(day)
	return err
}

// Value implements driver.Valuer.
func (d DayText) Value() (driver.Value, error) { return affiliate.Day(d).String(), nil }

// Optional reads and writes a value of a column that is NULL if the value is absent.
type Optional[T any] struct {
	at   *T
	none bool
}

// Opt returns an Optional whose zero value means absent.
func Opt[T comparable](at *T) Optional[T] {
	var zero T
	return OptIf(*at != zero, at)
}

// OptIf returns an Optional that is present if known is true.
func OptIf[T any](known bool, at *T) Optional[T] { return Optional[T]{at, !known} }

// Scan implements sql.Scanner.
func (o Optional[T]) Scan(value any) error {
	var read sql.Null[T]
	err := read.Scan(value)
	*o.at = read.V
	return err
}

// Value implements driver.Valuer.
func (o Optional[T]) Value() (driver.Value, error) {
	if o.none {
		return nil, nil
	}
	return driver.DefaultParameterConverter.ConvertValue(*o.at)
}

// Scanned reads all rows of a query.
func Scanned[T any](ctx context.Context, r Asker, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// ReadColumn reads a query of one text column.
func ReadColumn[T ~string](ctx context.Context, r Asker, query string, args ...any) ([]T, error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, rows.Err()
}

// NotNull returns a blob for a NOT NULL column.
func NotNull(blob []byte) []byte {
	if blob == nil {
		return []byte{}
	}
	return blob
}

func Changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// Sequence yields the rows of a query, each scanned into the targets of a value. what begins the
// text of an error, with which the sequence ends.
func Sequence[T any](ctx context.Context, r Asker, what string, targets func(*T) []any, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		fail := func(err error) { yield(*new(T), fmt.Errorf("%s: %w", what, err)) }
		rows, err := r.QueryContext(ctx, query, args...)
		if err != nil {
			fail(err)
			return
		}
		defer rows.Close()
		var row T
		into := targets(&row)
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				fail(err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			fail(err)
		}
	}
}
