package signin

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// brokenInvitation is the answer to a link that does not hold, whatever is wrong with it.
var brokenInvitation = handler.NewProblem(fiber.StatusNotFound, "This invitation does not hold: it was used, has expired, or is incomplete. Ask who sent it for another one.")

// InvitationPage asks the holder of an invitation for a password. It changes nothing, because programs
// open links before people do.
func (s *Area) InvitationPage(c *fiber.Ctx) error { return s.showInvitation(c, "") }

func (s *Area) showInvitation(c *fiber.Ctx, alert string) error {
	i, err := s.Access.Invited(c.UserContext(), c.Params("token"))
	if err != nil {
		return brokenOr(err)
	}
	s.EnsurePre(c)
	return s.RenderSecret(c, templates.Invitation(s.BarePage(c, "Invitation"), templates.InvitationView{Token: s.Token(c), User: i.User, Role: i.Role, Alert: alert, Least: i.Role.MinPassword(), Action: c.Path()}))
}

func brokenOr(err error) error {
	if errors.Is(err, access.ErrInvitation) {
		return brokenInvitation
	}
	return err
}

// AcceptInvitation gives the user of an invitation a password, and leads to the sign-in.
func (s *Area) AcceptInvitation(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if f.Fields.Get("password") != f.Fields.Get("repeated") {
			f.Alert = handler.PasswordsDiffer
			return "", nil
		}
		err := s.Access.AcceptInvitation(c.UserContext(), c.Params("token"), f.Fields.Get("password"), s.Client(c))
		return handler.LoginAddress("/"), f.Explain(c, brokenOr(err), "")
	}, func(f *handler.Sent) error { return s.showInvitation(c, f.Alert) })
}
