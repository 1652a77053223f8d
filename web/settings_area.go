package web

import (
	"sync/atomic"

	"rebatedesk/web/templates"
)

// settingsArea is what administrators look after. Of a part that is nil there is
// no page.
type settingsArea struct {
	*base
	Accounts   Accounts
	Backups    Backups
	backingUp  atomic.Bool
	auditCheck atomic.Pointer[templates.AuditCheck] // the last, where the log could not be told of it
}

func newSettingsArea(b *base, accounts Accounts, backups Backups) *settingsArea {
	return &settingsArea{base: b, Accounts: accounts, Backups: backups}
}
