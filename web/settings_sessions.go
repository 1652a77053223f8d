package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/templates"
)

func (s *Server) sessionList(c *fiber.Ctx) error {
	sessions, err := s.Access.Sessions(c.UserContext(), "")
	if err != nil {
		return err
	}
	v := templates.SessionsView{Settings: s.settingsPage(c, "Sessions", "/settings/sessions")}
	for _, session := range sessions {
		v.Rows = append(v.Rows, templates.SessionRow{Session: session, Current: session.ID == s.who(c).SessionID})
	}
	return s.render(c, templates.Sessions(v))
}

// revokeAnySession ends a session of anybody's. The reader's own is ended by
// signing out.
func (s *Server) revokeAnySession(c *fiber.Ctx) error {
	id, err := idIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeSession(c.UserContext(), s.who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, "/settings/sessions", "session")
}

// tokenList has those that work first.
func (s *Server) tokenList(c *fiber.Ctx) error {
	tokens, err := s.Access.Tokens(c.UserContext(), "")
	if err != nil {
		return err
	}
	slices.SortStableFunc(tokens, func(a, b access.Token) int {
		switch ended := !a.Revoked.IsZero(); {
		case ended == !b.Revoked.IsZero():
			return 0
		case ended:
			return 1
		}
		return -1
	})
	return s.render(c, templates.Tokens(templates.TokensView{Settings: s.settingsPage(c, "API tokens", "/settings/tokens"), Rows: tokens}))
}

func (s *Server) revokeAnyToken(c *fiber.Ctx) error {
	id, err := idIn(c)
	if err != nil {
		return err
	}
	if err := s.Access.RevokeToken(c.UserContext(), s.who(c).Actor(), id); err != nil {
		return err
	}
	return backToSettings(c, "/settings/tokens", "token")
}
