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

// ExchangeAccount says how an affiliate account is reached, if that is stored in the
// database. Its keys are sealed; this package does not know the sealing key.
type ExchangeAccount struct {
	Name            affiliate.Account // unique, ignoring letter case
	Exchange        string            // by its name in settings
	BaseURL         string
	ContractBaseURL string
	APIVersion      string // v2 or v3
	Locale          string
	Keys            []byte // sealed
	TradingKeys     []byte // sealed; empty: it does not trade
	Created         affiliate.Millis
	Rotated         affiliate.Millis // when it received its keys
	Disabled        affiliate.Millis // unknown: it is in use
	Updated         affiliate.Millis // identifies the version
}

// ExchangeAccounts lists the stored accounts by name, including disabled ones.
func ExchangeAccounts(ctx context.Context, r *store.Tx) ([]ExchangeAccount, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT name, exchange, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, disabled_ms, updated_ms
		FROM exchange_accounts ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("reading the stored accounts: %w", err)
	}
	defer rows.Close()
	var accounts []ExchangeAccount
	for rows.Next() {
		var a ExchangeAccount
		err := rows.Scan(&a.Name, &a.Exchange, &a.BaseURL, &a.ContractBaseURL, &a.APIVersion, &a.Locale, &a.Keys, &a.TradingKeys, &a.Created, &a.Rotated, &a.Disabled, &a.Updated)
		if err != nil {
			return nil, fmt.Errorf("reading the stored accounts: %w", err)
		}
		accounts = append(accounts, a)
	}
	return accounts, rows.Err()
}

// AddExchangeAccount stores an account under a free name, together with its line of the
// audit log. A name that is taken is a *RuleError.
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
			INSERT INTO exchange_accounts (name, exchange, base_url, contract_base_url, api_version, locale, keys, trading_keys, created_ms, rotated_ms, updated_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.Name, a.Exchange, a.BaseURL, a.ContractBaseURL, a.APIVersion, a.Locale, a.Keys, store.NotNull(a.TradingKeys), stamp, stamp, stamp)
	})
}

// RotateExchangeAccount gives an account the keys of a if its addresses are still those of
// a, for which the keys were sealed. Otherwise the error is a *RuleError, and so it is for
// an account that changed since it was read: Updated says which version was read; if it is
// unknown, any version is changed.
func RotateExchangeAccount(ctx context.Context, s *store.Store, a ExchangeAccount, by audit.Line) error {
	by.Action = "account keys rotated"
	return changeAccount(ctx, s, a.Name, a.Updated, by, func(tx *store.Tx, stamp affiliate.Millis) (sql.Result, error) {
		return tx.ExecContext(ctx, `
			UPDATE exchange_accounts SET keys = ?, trading_keys = ?, rotated_ms = ?, updated_ms = ?
			WHERE name = ? AND base_url = ? AND contract_base_url = ?`,
			a.Keys, store.NotNull(a.TradingKeys), stamp, stamp, a.Name, a.BaseURL, a.ContractBaseURL)
	})
}

// DisableExchangeAccount disables an account or enables it again. Its collected data stays.
// An account that does not exist is a *RuleError, and so is one in another version than the
// one seen, as with [RotateExchangeAccount].
func DisableExchangeAccount(ctx context.Context, s *store.Store, name affiliate.Account, seen affiliate.Millis, disabled bool, by audit.Line) error {
	by.Action = "account enabled"
	if disabled {
		by.Action = "account disabled"
	}
	return changeAccount(ctx, s, name, seen, by, func(tx *store.Tx, stamp affiliate.Millis) (sql.Result, error) {
		return tx.ExecContext(ctx, `UPDATE exchange_accounts SET disabled_ms = ?, updated_ms = ? WHERE name = ?`, store.OptIf(disabled, &stamp), stamp, name)
	})
}

// changeAccount runs every change of a stored account.
func changeAccount(ctx context.Context, s *store.Store, name affiliate.Account, seen affiliate.Millis, by audit.Line, change func(*store.Tx, affiliate.Millis) (sql.Result, error)) error {
	by.Object = string(name)
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var stored affiliate.Millis
		err := tx.QueryRowContext(ctx, `SELECT updated_ms FROM exchange_accounts WHERE name = ?`, name).Scan(&stored)
		if err == nil {
			err = store.SameVersion("account", seen, stored)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // a missing account is reported below
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
