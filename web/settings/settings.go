package settings

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

// Settings redirects to the first settings page that the reader may see.
func (s *Area) Settings(c *fiber.Ctx) error {
	if !s.May(c, access.MayAdminister) {
		return c.Redirect("/account", fiber.StatusSeeOther)
	}
	return c.Redirect("/settings/users", fiber.StatusSeeOther)
}

// settingsPage returns the frame of a settings page.
func (s *Area) settingsPage(c *fiber.Ctx, title, path string) templates.Settings {
	v := templates.Settings{Page: s.Page(c, title, "/settings"), Path: path, Token: s.Token(c), Zone: s.Zone, Done: settingsDone[c.Query("done")]}
	for _, tab := range []struct {
		there bool
		tab   ui.Tab
	}{
		{true, ui.Tab{Path: "/settings/users", Label: "Users"}},
		{true, ui.Tab{Path: "/settings/sessions", Label: "Sessions"}},
		{true, ui.Tab{Path: "/settings/tokens", Label: "API tokens"}},
		{s.Accounts != nil, ui.Tab{Path: "/settings/accounts", Label: "Accounts"}},
		{s.Mail != nil, ui.Tab{Path: "/settings/mail", Label: "Mail"}},
		{s.Audit != nil, ui.Tab{Path: "/settings/audit", Label: "Audit log"}},
		{s.Backups != nil, ui.Tab{Path: "/settings/backups", Label: "Backups"}},
		{s.Accounts != nil, ui.Tab{Path: "/settings/setup", Label: "Setup"}},
	} {
		if tab.there {
			v.Tabs = append(v.Tabs, tab.tab)
		}
	}
	return v
}

// settingsDone are the changes that the pages can confirm after a redirect.
var settingsDone = map[string]string{
	"added":    "The user is added and can sign in now.",
	"role":     "The role is changed. All sessions and API tokens of the user have ended.",
	"password": "The password is set. All sessions and API tokens of the user have ended.",
	"codes":    "The authenticator and the recovery codes are gone. All sessions and API tokens of the user have ended.",
	"disabled": "The user is disabled. All sessions have ended, and all API tokens are revoked.",
	"enabled":  "The user can sign in again.",
	"names":    "Saved.",
	"bound":    "The user sees these invitees and nobody else from now on.",
	"unbound":  "What the user sees has changed.",
	"token":    "The token is revoked.",
	"session":  "The session has ended.",
	"account":  "The account is stored, its keys are sealed. It is collected for from the next run on.",
	"rotated":  "The account has its new keys. They are used from the next run on.",
	"mail":     "The mail server is stored, its password is sealed. It is used from the next message on: send a test now.",
	"unmailed": "The mail server is removed.",
	"unused":   "The account is disabled. What was collected for it stays.",
	"used":     "The account is in use again.",
}
