package web

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web/templates"
)

// AuditLog is the log of who did what.
type AuditLog interface {
	Audit(ctx context.Context, q reports.AuditQuery) (reports.AuditReport, error)
	// VerifyAudit proves every line. Its cost follows their number.
	VerifyAudit(ctx context.Context) (store.Finding, error)
	OpenAuditExport(ctx context.Context, q reports.AuditQuery) (Export, error)
}

// AskAudit makes the service the log of the pages.
func AskAudit(service *reports.Service) AuditLog { return askedAudit{service} }

type askedAudit struct{ *reports.Service }

func (a askedAudit) OpenAuditExport(ctx context.Context, q reports.AuditQuery) (Export, error) {
	export, err := a.Service.OpenAuditExport(ctx, q)
	if err != nil {
		return nil, err
	}
	return export, nil
}

// ExchangeAccount is an affiliate account as its list shows it, without keys.
type ExchangeAccount = templates.ExchangeAccount

// AccountCheck is one step of the test of an account.
type AccountCheck = templates.AccountCheck

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
	Add(ctx context.Context, by store.Audit, form AccountForm) error
	Rotate(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, keys, trading AccountKey) error
	Disable(ctx context.Context, by store.Audit, name affiliate.Account, seen affiliate.Millis, disabled bool) error
	// Test asks the exchange with the key of an account.
	Test(ctx context.Context, by store.Audit, name affiliate.Account) ([]AccountCheck, error)
}

// Backups are the daily backups of the database.
type Backups interface {
	// State says where they lie, how many are kept (0: none are made) and how
	// the last ones ended, newest first.
	State(ctx context.Context) (BackupState, error)
	// Make makes one at once, unless one is being made.
	Make(ctx context.Context) error
}

// BackupState is what a page shows of the backups.
type BackupState = templates.BackupState

// CheckResult is how a step of a test ended.
type CheckResult = templates.CheckResult

// The results of a step.
const (
	CheckPassed  = templates.CheckPassed
	CheckFailed  = templates.CheckFailed
	CheckSkipped = templates.CheckSkipped
)
