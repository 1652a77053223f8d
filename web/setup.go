package web

import (
	"errors"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/templates"
)

// needsSetup reports whether there is nobody who could sign in. Once there is
// somebody, there always is: users are disabled and never removed.
func (s *signinArea) needsSetup(c *fiber.Ctx) (bool, error) {
	if s.hasUsers.Load() {
		return false, nil
	}
	needed, err := s.Access.NeedsSetup(c.UserContext())
	if err == nil && !needed {
		s.hasUsers.Store(true)
	}
	return needed, err
}

// setupPage makes the first administrator, and is gone afterwards.
func (s *signinArea) setupPage(c *fiber.Ctx) error {
	needed, err := s.needsSetup(c)
	if err != nil {
		return err
	}
	if !needed {
		return fiber.ErrNotFound
	}
	return s.showSetup(c, templates.SetupView{})
}

func (s *signinArea) setup(c *fiber.Ctx) error {
	needed, err := s.needsSetup(c)
	if err != nil {
		return err
	}
	if !needed {
		return fiber.ErrNotFound
	}
	fields := s.form(c)
	view := templates.SetupView{User: fields.Get("username")}
	if fields.Get("password") != fields.Get("repeated") {
		view.Alert = passwordsDiffer
		c.Status(http.StatusBadRequest)
		return s.showSetup(c, view)
	}
	entry, err := s.Access.Setup(c.UserContext(), fields.Get("setup"), fields.Get("username"), fields.Get("password"), s.client(c))
	if err != nil {
		return s.notSetUp(c, view, err)
	}
	s.enter(c, entry)
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

func (s *signinArea) notSetUp(c *fiber.Ctx, view templates.SetupView, err error) error {
	if errors.Is(err, access.ErrSetUp) {
		return fiber.ErrNotFound
	}
	var ok bool
	view.Alert, ok = refused(c, err, "The setup token is wrong. It stands where the server was started, and is another after each start.")
	if !ok {
		return err
	}
	return s.showSetup(c, view)
}

func (s *signinArea) showSetup(c *fiber.Ctx, view templates.SetupView) error {
	s.ensurePre(c)
	view.Token, view.Least = s.token(c), access.Admin.MinPassword()
	return s.render(c, templates.Setup(s.barePage("First start"), view))
}
