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

// RevokeAnySession ends any user's session. Readers end their own by signing out.
func (s *Area) RevokeAnySession(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming(settingsFrom(c, "/settings/sessions"), "session"), s.Access.RevokeSession(c.UserContext(), s.Who(c).Actor(), f.ID)
	}, nil)
}

// TokenList shows valid tokens first.
func (s *Area) TokenList(c *fiber.Ctx) error {
	tokens, err := s.Access.Tokens(c.UserContext(), "")
	if err != nil {
		return err
	}
	workingFirst(tokens)
	return s.Render(c, templates.Tokens(templates.TokensView{Settings: s.settingsPage(c, "API tokens", "/settings/tokens"), Rows: tokens}))
}

// workingFirst sorts expired and revoked tokens behind the others.
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
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming(settingsFrom(c, "/settings/tokens"), "token"), s.Access.RevokeToken(c.UserContext(), s.Who(c).Actor(), f.ID)
	}, nil)
}

// settingsFrom returns the page of the user from which a form was sent, or the page of
// all users.
func settingsFrom(c *fiber.Ctx, otherwise string) string {
	if from, _, _ := strings.Cut(handler.CameFrom(c, otherwise), "?"); strings.HasPrefix(from, "/settings/users/") {
		return from
	}
	return otherwise
}
