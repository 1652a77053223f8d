package web

import (
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/web/templates"
)

// settingsRoutes are the pages of the administrators.
func (s *Server) settingsRoutes() {
	s.get("/settings", s.settings)

	s.get("/settings/users", s.userList)
	s.post("/settings/users", s.addUser)
	s.get("/settings/users/:id", s.userPage)
	s.post("/settings/users/:id/role", s.setRole)
	s.post("/settings/users/:id/password", s.setPassword)
	s.post("/settings/users/:id/reset-codes", s.resetCodes)
	s.post("/settings/users/:id/disable", s.disableUser)
	s.post("/settings/users/:id/enable", s.enableUser)

	s.get("/settings/tokens", s.tokenList)
	s.post("/settings/tokens/:id/revoke", s.revokeAnyToken)
	s.get("/settings/sessions", s.sessionList)
	s.post("/settings/sessions/:id/revoke", s.revokeAnySession)

	s.get("/settings/accounts", s.accountList)
	s.post("/settings/accounts", s.addAccount)
	s.post("/settings/accounts/test", s.testAccount)
	s.post("/settings/accounts/rotate", s.rotateAccount)
	s.post("/settings/accounts/disable", s.disableAccount)
	s.post("/settings/accounts/enable", s.enableAccount)

	s.getFile("/settings/audit.csv", s.auditFile("csv"))
	s.getFile("/settings/audit.json", s.auditFile("json"))
	s.get("/settings/audit", s.auditPage)
	s.post("/settings/audit/check", s.checkAudit)

	s.get("/settings/backups", s.backupList)
	s.post("/settings/backups/make", s.backUpNow)
}

// settings leads to the first page of them that the reader may see.
func (s *Server) settings(c *fiber.Ctx) error {
	if !s.may(c, access.Administer) {
		return c.Redirect("/account", fiber.StatusSeeOther)
	}
	return c.Redirect("/settings/users", fiber.StatusSeeOther)
}

// settingsPage is the frame of one of the pages.
func (s *Server) settingsPage(c *fiber.Ctx, title, path string) templates.Settings {
	v := templates.Settings{Page: s.page(c, title, "/settings"), Path: path, Token: s.token(c), Zone: s.Zone, Done: settingsDone[c.Query("done")]}
	for _, tab := range []struct {
		there bool
		tab   templates.Tab
	}{
		{true, templates.Tab{Path: "/settings/users", Label: "Users"}},
		{true, templates.Tab{Path: "/settings/sessions", Label: "Sessions"}},
		{true, templates.Tab{Path: "/settings/tokens", Label: "API tokens"}},
		{s.Accounts != nil, templates.Tab{Path: "/settings/accounts", Label: "Accounts"}},
		{s.Audit != nil, templates.Tab{Path: "/settings/audit", Label: "Audit log"}},
		{s.Backups != nil, templates.Tab{Path: "/settings/backups", Label: "Backups"}},
	} {
		if tab.there {
			v.Tabs = append(v.Tabs, tab.tab)
		}
	}
	return v
}

// settingsDone are the changes that the pages may be led back to after.
var settingsDone = map[string]string{
	"added":    "The user is added and can sign in now.",
	"role":     "The role is changed. All sessions and API tokens of the user have ended.",
	"password": "The password is set. All sessions and API tokens of the user have ended.",
	"codes":    "The authenticator and the recovery codes are gone. All sessions and API tokens of the user have ended.",
	"disabled": "The user is disabled. All sessions have ended, and all API tokens are revoked.",
	"enabled":  "The user can sign in again.",
	"token":    "The token is revoked.",
	"session":  "The session has ended.",
	"account":  "The account is stored, its keys are sealed. It is collected for from the next run on.",
	"rotated":  "The account has its new keys. They are used from the next run on.",
	"unused":   "The account is disabled. What was collected for it stays.",
	"used":     "The account is in use again.",
}

func backToSettings(c *fiber.Ctx, path, done string) error {
	return c.Redirect(path+"?"+url.Values{"done": {done}}.Encode(), fiber.StatusSeeOther)
}

// idIn is the number in the address.
func idIn(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return 0, fiber.ErrNotFound
	}
	return id, nil
}

// by is the caller as the audit log has whoever does something.
func (s *Server) by(c *fiber.Ctx) store.Audit {
	who := s.who(c).Actor()
	return store.Audit{Actor: who.Name, Via: who.Via, Address: who.Address}
}
