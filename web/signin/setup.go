package signin

import (
	"errors"

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
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if f.Fields.Get("password") != f.Fields.Get("repeated") {
			f.Alert = handler.PasswordsDiffer
			return "", nil
		}
		entry, err := s.Access.Setup(c.UserContext(), f.Fields.Get("setup"), f.Fields.Get("username"), f.Fields.Get("password"), s.Client(c))
		switch {
		case errors.Is(err, access.ErrSetUp):
			return "", fiber.ErrNotFound
		case err != nil:
			return "", f.Explain(c, err, "The setup token is wrong. It was printed where the server was started.")
		}
		s.Enter(c, entry)
		if entry.Principal.State == access.NeedsEnrolment {
			return enrolmentAddress(setupAddress), nil
		}
		return setupAddress, nil
	}, func(f *handler.Sent) error {
		return s.showSetup(c, templates.SetupView{User: f.Fields.Get("username"), Alert: f.Alert})
	})
}

func (s *Area) showSetup(c *fiber.Ctx, view templates.SetupView) error {
	s.EnsurePre(c)
	view.Token, view.Least = s.Token(c), access.Admin.MinPassword()
	return s.Render(c, templates.Setup(s.BarePage(c, "First start"), view))
}
