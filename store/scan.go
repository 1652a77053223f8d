package store

import (
	"context"
	"database/sql"
	"fmt"
	"rebatedesk/affiliate"
)

// dayText is a day as it is stored.
type dayText affiliate.Day

// Scan implements sql.Scanner.
func (d *dayText) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("a stored day is %T, not text", value)
	}
	day, err := affiliate.ParseDay(text)
	*d = dayText(day)
	return err
}

// scanned reads all rows of a query.
func scanned[T any](ctx context.Context, r *Tx, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
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

// column reads a query of one text column.
func column[T ~string](ctx context.Context, tx *Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
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

// notNull is a blob as a column takes it that holds no NULL.
func notNull(blob []byte) []byte {
	if blob == nil {
		return []byte{}
	}
	return blob
}

func changed(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}
