package settings

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Private("/settings", route.SignedIn, s.Settings),
		route.Private("/settings/users", access.MayAdminister, s.UserList).
			Help("Users", "Who may sign in, and what may each of them do?", "role", "permission").Begins("/settings/users", "Users", "person", "add role invite"),
		route.Proven("/settings/users", access.MayAdminister, s.AddUser),
		route.Proven("/settings/users/invite", access.MayAdminister, s.InviteUser),
		route.Private("/settings/users/:id", access.MayAdminister, s.UserPage).
			Help("A user", "What may this user do, and whose figures do they see?", "role", "permission"),
		route.Proven("/settings/users/:id/role", access.MayAdminister, s.SetRole),
		route.Proven("/settings/users/:id/password", access.MayAdminister, s.SetPassword),
		route.Proven("/settings/users/:id/reset-codes", access.MayAdminister, s.ResetCodes),
		route.Proven("/settings/users/:id/disable", access.MayAdminister, s.DisableUser),
		route.Proven("/settings/users/:id/enable", access.MayAdminister, s.EnableUser),
		route.Post("/settings/names", access.MayAdminister, s.HideNames),
		route.Proven("/settings/users/:id/bind", access.MayAdminister, s.BindUser),
		route.Proven("/settings/users/:id/unbind", access.MayAdminister, s.UnbindUser),
		route.Private("/settings/tokens", access.MayAdminister, s.TokenList).
			Help("API tokens", "Which programs may read or act for whom?", "scope").Begins("/settings/tokens", "All tokens", "gear", ""),
		route.Post("/settings/tokens/:id/revoke", access.MayAdminister, s.RevokeAnyToken),
		route.Private("/settings/sessions", access.MayAdminister, s.SessionList).
			Help("Sessions", "Who is signed in, where and since when?", "session").Begins("/settings/sessions", "All sessions", "gear", ""),
		route.Post("/settings/sessions/:id/revoke", access.MayAdminister, s.RevokeAnySession),
		route.Private("/settings/accounts", access.MayAdminister, s.AccountList).
			Help("Accounts", "Which accounts at the exchange are collected, and do their keys work?", "account", "master key", "secret").Begins("/settings/accounts", "Exchange accounts", "database", "keys rotate"),
		route.Proven("/settings/accounts", access.MayAdminister, s.AddAccount),
		route.Proven("/settings/accounts/test", access.MayAdminister, s.TestAccount),
		route.Proven("/settings/accounts/rotate", access.MayAdminister, s.RotateAccount),
		route.Proven("/settings/accounts/disable", access.MayAdminister, s.DisableAccount),
		route.Proven("/settings/accounts/enable", access.MayAdminister, s.EnableAccount),
		route.Private("/settings/mail", access.MayAdminister, s.MailServer).
			Help("Mail server", "By which server and sender do mails go out, and does it work?", "secret", "master key").Begins("/settings/mail", "Mail server", "mail", "smtp sender test mail"),
		route.Proven("/settings/mail", access.MayAdminister, s.EnterMailServer),
		route.Post("/settings/mail/test", access.MayAdminister, s.TestMailServer),
		route.Proven("/settings/mail/remove", access.MayAdminister, s.RemoveMailServer),
		route.Private("/settings/audit.csv", access.MayAdminister, s.AuditFile("csv")).Download(),
		route.Private("/settings/audit.json", access.MayAdminister, s.AuditFile("json")).Download(),
		route.Private("/settings/audit", access.MayAdminister, s.AuditPage).
			Help("Audit log", "Who did what, and was the log itself left untouched?", "audit log", "master key").Begins("/settings/audit", "Audit log", "list", "who did what"),
		route.Post("/settings/audit/check", access.MayAdminister, s.CheckAudit),
		route.Private("/settings/backups", access.MayAdminister, s.BackupList).
			Help("Backups", "When was the last backup made, and can it be restored?", "drill").Begins("/settings/backups", "Backups", "database", "restore"),
		route.Post("/settings/backups/make", access.MayAdminister, s.BackUpNow),
		route.Private("/settings/setup", access.MayAdminister, s.SetupPage).
			Help("Setup", "What is left to do before the first figures and the first mail?", "account", "secret", "run").Begins("/settings/setup", "Setup", "gear", "first start key mail"),
		route.Post("/settings/setup/skip", access.MayAdminister, s.SkipStep),
		route.Post("/settings/setup/leave", access.MayAdminister, s.LeaveSetup),
		route.Post("/settings/setup/resume", access.MayAdminister, s.ResumeSetup),
	}
}
