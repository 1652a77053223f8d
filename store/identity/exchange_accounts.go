package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// ExchangeAccount is how an affiliate account is reached, where that is kept in
// the database. Its keys are sealed; what seals them is not known here.
type ExchangeAccount struct {
	Name            affiliate.Account // letter case does not tell two apart
	BaseURL         string
	ContractBaseURL string
	APIVersion      string // v2 or v3
	Locale          string
	Keys            []byte // sealed
	TradingKeys     []byte // sealed; empty: it does not trade
	Created         affiliate.Millis
	Rotated         affiliate.Millis // when it was given its keys
	Disabled        affiliate.Millis // unknown: it is in use
	Updated         affiliate.Millis // tells two versions apart
}

// ExchangeAccounts lists the stored accounts by name, disabled ones too.
func ExchangeAccounts(ctx context.Context, r *store.Tx) ([]ExchangeAccount, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, disabled_ms, updated_ms
		FROM exchange_accounts ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading the stored accounts: %w", err)
	}
	defer rows.Close()
	var accounts []ExchangeAccount
	for rows.Next() {
		var a ExchangeAccount
		err := rows.Scan(&a.Name, &a.BaseURL, &a.ContractBaseURL, &a.APIVersion, &a.Locale, &a.Keys, &a.TradingKeys, &a.Created, &a.Rotated, &a.Disabled, &a.Updated)
		if err != nil {
			return nil, fmt.Errorf("reading the stored accounts: %w", err)
		}
		accounts = append(accounts, a)
	}
	return accounts, rows.Err()
}

// AddExchangeAccount stores an account under a name that is not taken, together
// with its line of the audit log. A name that is taken is a *RuleError.
func AddExchangeAccount(ctx context.Context, s *store.Store, a ExchangeAccount, by audit.Line) error {
	by.Action, by.Detail = "account added", a.BaseURL
	return changeAccount(ctx, s, a.Name, store.AnyVersion, by, func(tx *store.Tx, stamp affiliate.Millis) (sql.Result, error) {
		var taken bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM exchange_accounts WHERE name = ?)`, a.Name).Scan(&taken)
		if err != nil {
			return nil, err
		}
		if taken {
			return nil, store.Refuse("There is an account called “%s” already: choose another name, or give that account new keys.", a.Name)
		}
		return tx.ExecContext(ctx, `
			INSERT INTO exchange_accounts (name, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, updated_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.Name, a.BaseURL, a.ContractBaseURL, a.APIVersion, a.Locale, a.Keys, store.NotNull(a.TradingKeys), stamp, stamp, stamp)
	})
}

// RotateExchangeAccount gives an account the keys of a, where its addresses are
// still those of a, for which they were sealed. Another account is a
// *RuleError, and so is one that changed since it was read: Updated says when it
// had changed by then; unknown, it is changed whatever it is.
func RotateExchangeAccount(ctx context.Context, s *store.Store, a ExchangeAccount, by audit.Line) error {
	by.Action = "account keys rotated"
	return changeAccount(ctx, s, a.Name, a.Updated, by, func(tx *store.Tx, stamp affiliate.Millis) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE exchange_accounts SET keys = ?, trading_keys = ?, rotated_ms = ?, updated_ms = ?
			WHERE name = ? AND base_url = ? AND contract_base_url = ?`,
			a.Keys, store.NotNull(a.TradingKeys), stamp, stamp, a.Name, a.BaseURL, a.ContractBaseURL)
	})
}

// DisableExchangeAccount takes an account out of use, or back into it. What was
// collected for it stays. One that is not there is a *RuleError, and so is one that
// is not the version seen, as with [RotateExchangeAccount].
func DisableExchangeAccount(ctx context.Context, s *store.Store, name affiliate.Account, seen affiliate.Millis, disabled bool, by audit.Line) error {
	by.Action = "account enabled"
	if disabled {
		by.Action = "account disabled"
	}
	return changeAccount(ctx, s, name, seen, by, func(tx *store.Tx, stamp affiliate.Millis) (sql.Result, error) {
		return tx.ExecContext(ctx, `UPDATE exchange_accounts SET disabled_ms = ?, updated_ms = ? WHERE name = ?`, store.OptIf(disabled, &stamp), stamp, name)
	})
}

// changeAccount is the way of every change of a stored account.
func changeAccount(ctx context.Context, s *store.Store, name affiliate.Account, seen affiliate.Millis, by audit.Line, change func(*store.Tx, affiliate.Millis) (sql.Result, error)) error {
	by.Object = string(name)
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var stored affiliate.Millis
		err := tx.QueryRowContext(ctx, `SELECT updated_ms FROM exchange_accounts WHERE name = ?`, name).Scan(&stored)
		if err == nil {
			err = store.SameVersion("account", seen, stored)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // what is not there is told below
			return err
		}
		result, err := change(tx, stamp)
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed != 1 {
			return errors.Join(err, &store.RuleError{Problem: fmt.Sprintf("There is no stored account called “%s”.", name), Missing: true})
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}
