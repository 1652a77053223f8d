// Package settings has the handlers of everything that administrators manage: users,
// sessions, tokens, accounts, the audit log and the backups.
package settings

import (
	"sync/atomic"

	"rebatedesk/reports"
	"rebatedesk/store/audit"
	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
)

// Area holds everything that administrators manage. A nil part has no page.
type Area struct {
	*handler.Base
	desk       *reports.Service
	Accounts   admin.Accounts
	Backups    admin.Backups
	backingUp  atomic.Bool
	setUp      atomic.Bool                // no step of the first setup is open
	auditCheck atomic.Pointer[audit.Line] // the last check that could not be recorded in the log
}

func New(b *handler.Base, desk *reports.Service, accounts admin.Accounts, backups admin.Backups) *Area {
	return &Area{Base: b, desk: desk, Accounts: accounts, Backups: backups}
}
