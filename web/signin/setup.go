package signin

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// NeedsSetup reports whether no user exists who could sign in. Once such a user exists,
// one always does: users are disabled and never removed.
func (s *Area) NeedsSetup(c *fiber.Ctx) (bool, error) {
	if s.hasUsers.Load() {
		return false, nil
	}
	needed, err := s.Access.NeedsSetup(c.UserContext())
	if err == nil && !needed {
		s.hasUsers.Store(true)
	}
	return needed, err
}

// SetupPage creates the first administrator, and does not exist afterwards.
func (s *Area) SetupPage(c *fiber.Ctx) error {
	needed, err := s.NeedsSetup(c)
	if err != nil {
		return err
	}
	if !needed {
		return fiber.ErrNotFound
	}
	return s.showSetup(c, templates.SetupView{})
}

func (s *Area) Setup(c *fiber.Ctx) error {
	needed, err := s.NeedsSetup(c)
	if err != nil {
		return err
	}
	if !needed {
		return fiber.ErrNotFound
	}
	fields := s.Form(c)
	view := templates.SetupView{User: fields.Get("username")}
	if fields.Get("password") != fields.Get("repeated") {
		view.Alert = handler.PasswordsDiffer
		c.Status(http.StatusBadRequest)
		return s.showSetup(c, view)
	}
	entry, err := s.Access.Setup(c.UserContext(), fields.Get("setup"), fields.Get("username"), fields.Get("password"), s.Client(c))
	if err != nil {
		return s.notSetUp(c, view, err)
	}
	s.Enter(c, entry)
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

func (s *Area) notSetUp(c *fiber.Ctx, view templates.SetupView, err error) error {
	if errors.Is(err, access.ErrSetUp) {
		return fiber.ErrNotFound
	}
	var ok bool
	view.Alert, ok = handler.ExplainRefusal(c, err, "The setup token is wrong. It stands where the server was started.")
	if !ok {
		return err
	}
	return s.showSetup(c, view)
}

func (s *Area) showSetup(c *fiber.Ctx, view templates.SetupView) error {
	s.EnsurePre(c)
	view.Token, view.Least = s.Token(c), access.Admin.MinPassword()
	return s.Render(c, templates.Setup(s.BarePage(c, "First start"), view))
}
