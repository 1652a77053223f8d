// Package admin holds what administrators look after and the command hands up:
// the accounts at the exchange, and the backups.
package admin

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
)

// AccountForm is an account as somebody wrote it.
type AccountForm struct {
	Name, BaseURL, ContractBaseURL, APIVersion, Locale string
	Keys, TradingKeys                                  AccountKey
}

// AccountKey is a key as somebody wrote it.
type AccountKey struct{ Key, Secret, Passphrase string }

// FieldFaults is what is wrong with the fields of a form, by their names. It
// repeats nothing secret.
type FieldFaults map[string]string

func (FieldFaults) Error() string { return "fields of the form cannot be used" }

// Accounts are the affiliate accounts, those of the settings and those that are
// stored. Each change and each test has its line in the audit log, by whom it
// is told with Actor, Via and Address. What is wrong with a form is a
// FieldFaults, a broken rule a *store.RuleError; that an account is not the version
// seen any more is one.
type Accounts interface {
	List(ctx context.Context) ([]ExchangeAccount, error)
	Add(ctx context.Context, by audit.Line, form AccountForm) error
	Rotate(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading AccountKey) error
	Disable(ctx context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error
	// Test asks the exchange with the key of an account.
	Test(ctx context.Context, by audit.Line, name affiliate.Account) ([]AccountCheck, error)
}

// BackupAdmin are the daily backups of the database.
type BackupAdmin interface {
	// State says where they lie, how many are kept (0: none are made) and how
	// the last ones ended, newest first.
	State(ctx context.Context) (BackupState, error)
	// Make makes one at once, unless one is being made.
	Make(ctx context.Context) error
}
