// Package admin defines what administrators manage and the command provides: the
// accounts at the exchange, and the backups.
package admin

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
)

// AccountForm is an account as entered by a user.
type AccountForm struct {
	Name, Exchange, BaseURL, ContractBaseURL, APIVersion, Locale string
	Keys, TradingKeys                                            AccountKey
}

// AccountKey is a key as entered by a user.
type AccountKey struct{ Key, Secret, Passphrase string }

// Accounts manages the affiliate accounts, both configured and stored ones. Each change
// and each test has a line in the audit log; the user is given by Actor, Via and
// Address. Broken rules are a *store.RuleError each, and so is an account that is no
// longer the version the user saw.
type Accounts interface {
	List(ctx context.Context) ([]ExchangeAccount, error)
	Add(ctx context.Context, by audit.Line, form AccountForm) error
	Rotate(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading AccountKey) error
	Disable(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error
	// Try queries the exchange with the key of an account that is not stored, and stores nothing.
	Try(ctx context.Context, by audit.Line, form AccountForm) ([]AccountCheck, error)
	// Test queries the exchange with the key of an account.
	Test(ctx context.Context, by audit.Line, name affiliate.Account) ([]AccountCheck, error)
}

// Backups manages the daily backups of the database.
type Backups interface {
	// State returns where the backups are, how many are kept (0: none are made) and
	// how the last ones ended, newest first.
	State(ctx context.Context) (BackupState, error)
	// Make makes a backup immediately, unless one is being made.
	Make(ctx context.Context) error
}
