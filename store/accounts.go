package store

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
)

// accountID is the row of an account, made at its first use.
func accountID(ctx context.Context, tx *sql.Tx, name affiliate.Account) (int64, error) {
	if name == "" {
		return 0, fmt.Errorf("an account needs a name")
	}
	var id int64
	err := tx.QueryRowContext(ctx, `
		INSERT INTO accounts (name) VALUES (?)
		ON CONFLICT (name) DO UPDATE SET name = excluded.name
		RETURNING id`, name).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("account %s: %w", name, err)
	}
	return id, nil
}

// Accounts lists the accounts anything is stored about, by name.
func (r *Reader) Accounts(ctx context.Context) ([]affiliate.Account, error) {
	return column[affiliate.Account](ctx, r.tx, `SELECT name FROM accounts ORDER BY name`)
}

// column reads a query of one text column.
func column[T ~string](ctx context.Context, tx *sql.Tx, query string, args ...any) ([]T, error) {
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
