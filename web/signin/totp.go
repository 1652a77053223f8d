package signin

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// Enrol shows the secret for an authenticator. A user who has an authenticator and has
// not shown a code of it is asked for the code.
func (s *Area) Enrol(c *fiber.Ctx) error {
	if who := s.Who(c); who.State == access.NeedsCode {
		return s.showLogin(c, who, templates.LoginView{})
	}
	return s.showEnrolment(c, "")
}

// enrolmentAddress is the page of the enrolment that redirects to a path.
func enrolmentAddress(next string) string {
	return "/account/totp?" + url.Values{"next": {next}}.Encode()
}

// showEnrolment requires a code of the current authenticator before it shows how to set
// up another.
func (s *Area) showEnrolment(c *fiber.Ctx, alert string) error {
	who := s.Who(c)
	view := templates.EnrolmentView{
		User: who.User, Alert: alert, Token: s.Token(c), Action: enrolmentAddress(handler.Next(c)),
		Forced: who.State == access.NeedsEnrolment, Replaces: who.HasTOTP, Password: who.NeedsPassword(), Setup: isSetup(c),
	}
	page := s.Page(c, "One-time codes", "/account")
	page.Bare = page.Bare || view.Setup
	enrolment, err := s.Access.Enrol(c.UserContext(), who.Principal)
	switch {
	case errors.Is(err, access.ErrStepUp):
		return s.Render(c, templates.StepUp(page, view))
	case err != nil:
		return err
	}
	view.Secret = enrolment.Secret
	if view.Picture, err = qrCode(enrolment.URI); err != nil {
		return err
	}
	return s.RenderSecret(c, templates.Enrolment(page, view))
}

// ConfirmEnrolment accepts the first code of a new authenticator and shows the recovery
// codes once. If the user already has an authenticator, it first requires a code of
// that one.
func (s *Area) ConfirmEnrolment(c *fiber.Ctx) error {
	who, fields := s.Who(c), s.Form(c)
	if who.State == access.NeedsCode {
		return c.Redirect(handler.LoginAddress(handler.Next(c)), fiber.StatusSeeOther)
	}
	if fields.Has("present") {
		return s.stepUp(c, who, fields.Get("totp"))
	}
	recovery, entry, err := s.Access.ConfirmEnrolment(c.UserContext(), who.Principal, fields.Get("password"), fields.Get("totp"), s.Client(c))
	if errors.Is(err, access.ErrNoSession) { // the session has just ended
		return c.Redirect(enrolmentAddress(handler.Next(c)), fiber.StatusSeeOther)
	}
	if alert, ok := handler.ExplainRefusal(c, err, wrongFirstCode(who)); ok {
		return s.showEnrolment(c, alert)
	}
	if err != nil {
		return err
	}
	s.Enter(c, entry)
	page := s.Page(c, "Recovery codes", "/account")
	page.Bare = page.Bare || isSetup(c)
	return s.RenderSecret(c, templates.Recovery(page, templates.RecoveryView{Codes: recovery, Next: handler.Next(c), Setup: isSetup(c)}))
}

// isSetup reports whether the enrolment is a step of the first setup.
func isSetup(c *fiber.Ctx) bool { return handler.Next(c) == setupAddress }

func wrongFirstCode(who handler.Caller) string {
	if who.NeedsPassword() {
		return "The password or the code is wrong. Take the code that the app shows now."
	}
	return "The code is wrong. Take the one that the app shows now."
}

func (s *Area) stepUp(c *fiber.Ctx, who handler.Caller, code string) error {
	err := s.Access.StepUp(c.UserContext(), who.Principal, code)
	if alert, ok := handler.ExplainRefusal(c, err, handler.WrongCode); ok {
		return s.showEnrolment(c, alert)
	}
	if err != nil {
		return err
	}
	return c.Redirect(enrolmentAddress(handler.Next(c)), fiber.StatusSeeOther)
}
