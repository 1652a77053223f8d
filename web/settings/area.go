// Package settings has the handlers of what administrators look after: users,
// sessions, tokens, accounts, the audit log and the backups.
package settings

import (
	"sync/atomic"

	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
)

// Area is what administrators look after. Of a part that is nil there is
// no page.
type Area struct {
	*handler.Base
	Accounts   admin.Accounts
	Backups    admin.BackupAdmin
	backingUp  atomic.Bool
	auditCheck atomic.Pointer[templates.AuditCheck] // the last, where the log could not be told of it
}

func New(b *handler.Base, accounts admin.Accounts, backups admin.BackupAdmin) *Area {
	return &Area{Base: b, Accounts: accounts, Backups: backups}
}
