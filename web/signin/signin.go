package signin

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// Login is a user with a password as whom any visitor at this machine may sign in: the
// user of the demonstration.
type Login struct{ User, Password string }

// LoginPage is the sign-in, or its second step. It redirects users who are signed in.
func (s *Area) LoginPage(c *fiber.Ctx) error {
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	if who.Known() && who.State != access.NeedsCode {
		return c.Redirect(after(c, who.Principal), fiber.StatusSeeOther)
	}
	needed, err := s.NeedsSetup(c)
	if err != nil {
		return err
	}
	if needed {
		return c.Redirect("/setup", fiber.StatusSeeOther)
	}
	return s.showLogin(c, who, templates.LoginView{})
}

// Login accepts the password, the code, or both in one form. After a password alone, if
// a code is required, the browser holds half a session and sends the code to the same
// address.
func (s *Area) Login(c *fiber.Ctx) error {
	fields := s.Form(c)
	who, err := s.Caller(c)
	if err != nil {
		return err
	}
	if !fields.Has("username") {
		if !who.Known() || who.State != access.NeedsCode {
			return c.Redirect(handler.LoginAddress(handler.Next(c)), fiber.StatusSeeOther)
		}
		return s.confirm(c, who, fields.Get("totp"))
	}
	entry, err := s.Access.SignIn(c.UserContext(), fields.Get("username"), fields.Get("password"), s.Client(c))
	s.Watch.CountSignIn(entry, err)
	if err != nil {
		return s.notIn(c, handler.Caller{}, templates.LoginView{User: fields.Get("username")}, err)
	}
	if err := s.begin(c, entry); err != nil {
		return err
	}
	if code := fields.Get("totp"); code != "" && entry.Principal.State == access.NeedsCode {
		return s.confirm(c, s.Who(c), code)
	}
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// DemoLogin signs in a visitor at this machine with one press.
func (s *Area) DemoLogin(c *fiber.Ctx) error {
	if !handler.OnThisMachine(c) {
		return handler.NewProblem(fiber.StatusForbidden, "The demonstration can be entered without a password on its own machine only.")
	}
	as := s.demo
	if s.Form(c).Get("as") == "trader" && s.trader != nil {
		as = s.trader
	}
	entry, err := s.Access.SignIn(c.UserContext(), as.User, as.Password, s.Client(c))
	s.Watch.CountSignIn(entry, err)
	if err != nil {
		return s.notIn(c, handler.Caller{}, templates.LoginView{}, err)
	}
	if err := s.begin(c, entry); err != nil {
		return err
	}
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// begin replaces the session that the browser may have held, which ends here, with a
// new one.
func (s *Area) begin(c *fiber.Ctx, e access.Entry) error {
	if former := s.Who(c); former.Secret != "" {
		if err := s.Access.SignOut(c.UserContext(), former.Secret, s.Client(c)); err != nil && !errors.Is(err, access.ErrNoSession) {
			return err
		}
	}
	s.Enter(c, e)
	return nil
}

// confirm checks the code of the second step.
func (s *Area) confirm(c *fiber.Ctx, who handler.Caller, code string) error {
	entry, err := s.Access.Confirm(c.UserContext(), who.Secret, code, s.Client(c))
	s.Watch.CountSignIn(entry, err)
	switch {
	case errors.Is(err, access.ErrNoSession): // the session expired first
		return c.Redirect(handler.LoginAddress(handler.Next(c)), fiber.StatusSeeOther)
	case err != nil:
		return s.notIn(c, who, templates.LoginView{}, err)
	}
	s.Enter(c, entry)
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// after returns the next page of a caller who has just signed in, completely or in
// part.
func after(c *fiber.Ctx, p access.Principal) string {
	switch p.State {
	case access.NeedsCode:
		return handler.LoginAddress(handler.Next(c))
	case access.NeedsEnrolment:
		return enrolmentAddress(handler.Next(c))
	}
	return handler.Next(c)
}

// notIn shows the form again with a reason. The reason does not reveal whether the name
// or the password was wrong, or whether the user exists.
func (s *Area) notIn(c *fiber.Ctx, who handler.Caller, view templates.LoginView, err error) error {
	if errors.Is(err, access.ErrNoSession) { // disabled at this moment
		err = access.ErrWrong
	}
	wrong := "The user name or the password is wrong."
	if who.Known() {
		wrong = handler.WrongCode
	}
	var ok bool
	if view.Alert, ok = handler.ExplainRefusal(c, err, wrong); !ok {
		return err
	}
	return s.showLogin(c, who, view)
}

func (s *Area) showLogin(c *fiber.Ctx, who handler.Caller, view templates.LoginView) error {
	if !who.Known() {
		s.EnsurePre(c)
	}
	view.Code = who.Known()
	view.Action = handler.LoginAddress(handler.Next(c))
	view.Token = s.Token(c)
	if s.demo != nil && handler.OnThisMachine(c) {
		view.DemoAction = handler.DemoSignIn(handler.Next(c))
		view.DemoTrader = s.trader != nil
	}
	return s.Render(c, templates.Login(s.BarePage(c, "Sign in"), view))
}

// Logout ends the session. It requires a form, because a link or a picture of another
// site could otherwise sign people out.
func (s *Area) Logout(c *fiber.Ctx) error {
	if err := s.Access.SignOut(c.UserContext(), s.Who(c).Secret, s.Client(c)); err != nil && !errors.Is(err, access.ErrNoSession) {
		return err
	}
	s.DropCookie(c, handler.SessionCookie)
	return c.Redirect("/login", fiber.StatusSeeOther)
}
