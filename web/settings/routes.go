package settings

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Private("/settings", route.SignedIn, s.Settings),
		route.Private("/settings/users", access.MayAdminister, s.UserList),
		route.Proven("/settings/users", access.MayAdminister, s.AddUser),
		route.Private("/settings/users/:id", access.MayAdminister, s.UserPage),
		route.Proven("/settings/users/:id/role", access.MayAdminister, s.SetRole),
		route.Proven("/settings/users/:id/password", access.MayAdminister, s.SetPassword),
		route.Proven("/settings/users/:id/reset-codes", access.MayAdminister, s.ResetCodes),
		route.Proven("/settings/users/:id/disable", access.MayAdminister, s.DisableUser),
		route.Proven("/settings/users/:id/enable", access.MayAdminister, s.EnableUser),
		route.Post("/settings/names", access.MayAdminister, s.HideNames),
		route.Proven("/settings/users/:id/bind", access.MayAdminister, s.BindUser),
		route.Proven("/settings/users/:id/unbind", access.MayAdminister, s.UnbindUser),
		route.Private("/settings/tokens", access.MayAdminister, s.TokenList),
		route.Post("/settings/tokens/:id/revoke", access.MayAdminister, s.RevokeAnyToken),
		route.Private("/settings/sessions", access.MayAdminister, s.SessionList),
		route.Post("/settings/sessions/:id/revoke", access.MayAdminister, s.RevokeAnySession),
		route.Private("/settings/accounts", access.MayAdminister, s.AccountList),
		route.Proven("/settings/accounts", access.MayAdminister, s.AddAccount),
		route.Proven("/settings/accounts/test", access.MayAdminister, s.TestAccount),
		route.Proven("/settings/accounts/rotate", access.MayAdminister, s.RotateAccount),
		route.Proven("/settings/accounts/disable", access.MayAdminister, s.DisableAccount),
		route.Proven("/settings/accounts/enable", access.MayAdminister, s.EnableAccount),
		route.Private("/settings/audit.csv", access.MayAdminister, s.AuditFile("csv")).Download(),
		route.Private("/settings/audit.json", access.MayAdminister, s.AuditFile("json")).Download(),
		route.Private("/settings/audit", access.MayAdminister, s.AuditPage),
		route.Post("/settings/audit/check", access.MayAdminister, s.CheckAudit),
		route.Private("/settings/backups", access.MayAdminister, s.BackupList),
		route.Post("/settings/backups/make", access.MayAdminister, s.BackUpNow),
		route.Private("/settings/setup", access.MayAdminister, s.SetupPage),
		route.Post("/settings/setup/collect", access.MayAdminister, s.BeginCollection),
		route.Post("/settings/setup/mail", access.MayAdminister, s.TestMailServer),
		route.Post("/settings/setup/skip", access.MayAdminister, s.SkipStep),
		route.Post("/settings/setup/leave", access.MayAdminister, s.LeaveSetup),
		route.Post("/settings/setup/resume", access.MayAdminister, s.ResumeSetup),
	}
}
