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
		return s.furtherSetup(c)
	}
	return s.showSetup(c, templates.SetupView{})
}

// setupAddress is the page of the further steps of the first setup.
const setupAddress = "/settings/setup"

// furtherSetup leads administrators to the further steps. To everybody else the page does not
// exist.
func (s *Area) furtherSetup(c *fiber.Ctx) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	if !who.Full() || !who.May(access.MayAdminister) || handler.IsProgram(c) {
		return fiber.ErrNotFound
	}
	return c.Redirect(setupAddress, fiber.StatusSeeOther)
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
	if entry.Principal.State == access.NeedsEnrolment {
		return c.Redirect(enrolmentAddress(setupAddress), fiber.StatusSeeOther)
	}
	return c.Redirect(setupAddress, fiber.StatusSeeOther)
}

func (s *Area) notSetUp(c *fiber.Ctx, view templates.SetupView, err error) error {
	if errors.Is(err, access.ErrSetUp) {
		return fiber.ErrNotFound
	}
	var ok bool
	view.Alert, ok = handler.ExplainRefusal(c, err, "The setup token is wrong. It was printed where the server was started.")
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
