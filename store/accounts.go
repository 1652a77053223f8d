package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
)

// AccountID returns the row ID of an account and creates the row at its first use.
func AccountID(ctx context.Context, tx *Tx, name affiliate.Account) (int64, error) {
	if name == "" {
		return 0, fmt.Errorf("an account needs a name")
	}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM accounts WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, `INSERT INTO accounts (name) VALUES (?) RETURNING id`, name).Scan(&id)
	}
	if err != nil {
		return 0, fmt.Errorf("account %s: %w", name, err)
	}
	return id, nil
}

// WantFrom records that an account is to be collected from a UTC day on. The oldest such
// day is kept: "all time" begins there, even before the first record is read.
func (s *Store) WantFrom(ctx context.Context, name affiliate.Account, day affiliate.Day) error {
	return s.Update(ctx, func(tx *Tx, _ affiliate.Millis) error {
		account, err := AccountID(ctx, tx, name)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE accounts SET wanted_from = ? WHERE id = ? AND (wanted_from IS NULL OR wanted_from > ?)`,
			DayText(day), account, DayText(day))
		return err
	})
}

// Accounts lists, by name, the accounts that have stored data.
func (t *Tx) Accounts(ctx context.Context) ([]affiliate.Account, error) {
	return ReadColumn[affiliate.Account](ctx, t, `SELECT name FROM accounts ORDER BY name`)
}

// AccountNames returns the account names by row ID.
func (t *Tx) AccountNames(ctx context.Context) (map[int64]affiliate.Account, error) {
	rows, err := t.QueryContext(ctx, `SELECT id, name FROM accounts`)
	if err != nil {
		return nil, fmt.Errorf("reading accounts: %w", err)
	}
	defer rows.Close()
	names := map[int64]affiliate.Account{}
	for rows.Next() {
		var id int64
		var name affiliate.Account
		if err := rows.Scan(&id, &name); err != nil {
			return nil, fmt.Errorf("reading accounts: %w", err)
		}
		names[id] = name
	}
	return names, rows.Err()
}

// SetExchange notes the exchange of an account, by its name in settings. The records of two exchanges
// do not go together, so an account that has those of another one is refused with a [*RuleError].
func (s *Store) SetExchange(ctx context.Context, name affiliate.Account, exchange string) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	known, err := r.Exchanges(ctx)
	if err := errors.Join(err, r.Close()); err != nil {
		return err
	}
	switch is := known[name]; is {
	case exchange:
		return nil
	case "":
	default:
		return Refuse("The account “%s” has records of %s: give the account at %s another name.", name, is, exchange)
	}
	return s.Update(ctx, func(tx *Tx, _ affiliate.Millis) error {
		account, err := AccountID(ctx, tx, name)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE accounts SET exchange = ? WHERE id = ? AND exchange = ''`, exchange, account)
		return err
	})
}

// Exchanges returns the exchange of each account, by its name in settings; that of an account that was
// never collected is empty.
func (t *Tx) Exchanges(ctx context.Context) (map[affiliate.Account]string, error) {
	rows, err := t.QueryContext(ctx, `SELECT name, exchange FROM accounts`)
	if err != nil {
		return nil, fmt.Errorf("reading the exchanges of accounts: %w", err)
	}
	defer rows.Close()
	of := map[affiliate.Account]string{}
	for rows.Next() {
		var name affiliate.Account
		var exchange string
		if err := rows.Scan(&name, &exchange); err != nil {
			return nil, fmt.Errorf("reading the exchanges of accounts: %w", err)
		}
		of[name] = exchange
	}
	return of, rows.Err()
}
