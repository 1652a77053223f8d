package web

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/identity"
	"rebatedesk/web/templates"
)

func (s *settingsArea) sessionList(c *fiber.Ctx) error {
	sessions, err := s.Access.Sessions(c.UserContext(), "")
	if err != nil {
		return err
	}
	return s.render(c, templates.Sessions(templates.SessionsView{Settings: s.settingsPage(c, "Sessions", "/settings/sessions"),
		Rows: s.sessionRows(c, sessions), Most: identity.MaxSessions}))
}

// revokeAnySession ends a session of anybody's. The reader's own is ended by
// signing out.
func (s *settingsArea) revokeAnySession(c *fiber.Ctx) error {
	id, err := idIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeSession(c.UserContext(), s.who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, settingsFrom(c, "/settings/sessions"), "session")
}

// tokenList has those that work first.
func (s *settingsArea) tokenList(c *fiber.Ctx) error {
	tokens, err := s.Access.Tokens(c.UserContext(), "")
	if err != nil {
		return err
	}
	workingFirst(tokens)
	return s.render(c, templates.Tokens(templates.TokensView{Settings: s.settingsPage(c, "API tokens", "/settings/tokens"), Rows: tokens}))
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

func (s *settingsArea) revokeAnyToken(c *fiber.Ctx) error {
	id, err := idIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeToken(c.UserContext(), s.who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, settingsFrom(c, "/settings/tokens"), "token")
}

// settingsFrom is the page of the user that a form was sent from, or the one of
// everybody's.
func settingsFrom(c *fiber.Ctx, otherwise string) string {
	if from, _, _ := strings.Cut(cameFrom(c, otherwise), "?"); strings.HasPrefix(from, "/settings/users/") {
		return from
	}
	return otherwise
}
