package settings

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/identity"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
)

func (s *Area) SessionList(c *fiber.Ctx) error {
	sessions, err := s.Access.Sessions(c.UserContext(), "")
	if err != nil {
		return err
	}
	return s.Render(c, templates.Sessions(templates.SessionsView{Settings: s.settingsPage(c, "Sessions", "/settings/sessions"),
		Rows: s.SessionRows(c, sessions), Most: identity.MaxSessions}))
}

// RevokeAnySession ends a session of anybody's. The reader's own is ended by
// signing out.
func (s *Area) RevokeAnySession(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeSession(c.UserContext(), s.Who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, settingsFrom(c, "/settings/sessions"), "session")
}

// TokenList has those that work first.
func (s *Area) TokenList(c *fiber.Ctx) error {
	tokens, err := s.Access.Tokens(c.UserContext(), "")
	if err != nil {
		return err
	}
	workingFirst(tokens)
	return s.Render(c, templates.Tokens(templates.TokensView{Settings: s.settingsPage(c, "API tokens", "/settings/tokens"), Rows: tokens}))
}

// workingFirst puts tokens that have ended behind the others.
func workingFirst(tokens []access.Token) {
	slices.SortStableFunc(tokens, func(a, b access.Token) int {
		switch {
		case a.Ended == b.Ended:
			return 0
		case a.Ended:
			return 1
		}
		return -1
	})
}

func (s *Area) RevokeAnyToken(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeToken(c.UserContext(), s.Who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, settingsFrom(c, "/settings/tokens"), "token")
}

// settingsFrom is the page of the user that a form was sent from, or the one of
// everybody's.
func settingsFrom(c *fiber.Ctx, otherwise string) string {
	if from, _, _ := strings.Cut(handler.CameFrom(c, otherwise), "?"); strings.HasPrefix(from, "/settings/users/") {
		return from
	}
	return otherwise
}
