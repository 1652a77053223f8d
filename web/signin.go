package web

import (
	"errors"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/templates"
)

// Login is a user with a password that anybody at this machine may come in with:
// that of the demonstration.
type Login struct{ User, Password string }

// loginPage is the sign-in, or its second step. Whoever is signed in is led on.
func (s *signinArea) loginPage(c *fiber.Ctx) error {
	who, err := s.caller(c)
	if err != nil {
		return err
	}
	if who.known() && who.State != access.NeedsCode {
		return c.Redirect(after(c, who.Principal), fiber.StatusSeeOther)
	}
	needed, err := s.needsSetup(c)
	if err != nil {
		return err
	}
	if needed {
		return c.Redirect("/setup", fiber.StatusSeeOther)
	}
	return s.showLogin(c, who, templates.LoginView{})
}

// login takes the password, the code, or both in one form. After a password
// alone, where a code is needed, the browser holds half a session, and sends
// the code to the same address.
func (s *signinArea) login(c *fiber.Ctx) error {
	fields := s.form(c)
	who, err := s.caller(c)
	if err != nil {
		return err
	}
	if !fields.Has("username") {
		if !who.known() || who.State != access.NeedsCode {
			return c.Redirect(loginAddress(next(c)), fiber.StatusSeeOther)
		}
		return s.confirm(c, who, fields.Get("totp"))
	}
	entry, err := s.Access.SignIn(c.UserContext(), fields.Get("username"), fields.Get("password"), s.client(c))
	s.Watch.countSignIn(entry, err)
	if err != nil {
		return s.notIn(c, caller{}, templates.LoginView{User: fields.Get("username")}, err)
	}
	if err := s.begin(c, entry); err != nil {
		return err
	}
	if code := fields.Get("totp"); code != "" && entry.Principal.State == access.NeedsCode {
		return s.confirm(c, s.who(c), code)
	}
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// demoLogin lets whoever sits at this machine in by one press.
func (s *signinArea) demoLogin(c *fiber.Ctx) error {
	if !onThisMachine(c) {
		return refuse(fiber.StatusForbidden, "The demonstration can be entered without a password on its own machine only.")
	}
	as := s.demo
	if s.form(c).Get("as") == "trader" && s.trader != nil {
		as = s.trader
	}
	entry, err := s.Access.SignIn(c.UserContext(), as.User, as.Password, s.client(c))
	s.Watch.countSignIn(entry, err)
	if err != nil {
		return s.notIn(c, caller{}, templates.LoginView{}, err)
	}
	if err := s.begin(c, entry); err != nil {
		return err
	}
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// begin puts a session that has just begun in the place of the one that the
// browser may have held, which ends here.
func (s *signinArea) begin(c *fiber.Ctx, e access.Entry) error {
	if former := s.who(c); former.secret != "" {
		if err := s.Access.SignOut(c.UserContext(), former.secret, s.client(c)); err != nil && !errors.Is(err, access.ErrNoSession) {
			return err
		}
	}
	s.enter(c, e)
	return nil
}

// confirm takes the code of the second step.
func (s *signinArea) confirm(c *fiber.Ctx, who caller, code string) error {
	entry, err := s.Access.Confirm(c.UserContext(), who.secret, code, s.client(c))
	s.Watch.countSignIn(entry, err)
	switch {
	case errors.Is(err, access.ErrNoSession): // it took too long
		return c.Redirect(loginAddress(next(c)), fiber.StatusSeeOther)
	case err != nil:
		return s.notIn(c, who, templates.LoginView{}, err)
	}
	s.enter(c, entry)
	return c.Redirect(after(c, entry.Principal), fiber.StatusSeeOther)
}

// after is where somebody goes on who has just come in, wholly or in part.
func after(c *fiber.Ctx, p access.Principal) string {
	switch p.State {
	case access.NeedsCode:
		return loginAddress(next(c))
	case access.NeedsEnrolment:
		return enrolmentAddress(next(c))
	}
	return next(c)
}

// notIn shows the form again and says why. Whether it was the name or the
// password, and whether there is such a user, is not said.
func (s *signinArea) notIn(c *fiber.Ctx, who caller, view templates.LoginView, err error) error {
	if errors.Is(err, access.ErrNoSession) { // disabled at this very moment
		err = access.ErrWrong
	}
	wrong := "The user name or the password is wrong."
	if who.known() {
		wrong = wrongCode
	}
	var ok bool
	if view.Alert, ok = refused(c, err, wrong); !ok {
		return err
	}
	return s.showLogin(c, who, view)
}

func (s *signinArea) showLogin(c *fiber.Ctx, who caller, view templates.LoginView) error {
	if !who.known() {
		s.ensurePre(c)
	}
	view.Code = who.known()
	view.Action = loginAddress(next(c))
	view.Token = s.token(c)
	if s.demo != nil && onThisMachine(c) {
		view.DemoAction = "/login/demo?" + url.Values{"next": {next(c)}}.Encode()
		view.DemoTrader = s.trader != nil
	}
	return s.render(c, templates.Login(s.barePage("Sign in"), view))
}

// logout ends the session. Only a form does: a link or a picture of another
// site could sign people out otherwise.
func (s *signinArea) logout(c *fiber.Ctx) error {
	if err := s.Access.SignOut(c.UserContext(), s.who(c).secret, s.client(c)); err != nil && !errors.Is(err, access.ErrNoSession) {
		return err
	}
	s.dropCookie(c, sessionCookie)
	return c.Redirect("/login", fiber.StatusSeeOther)
}
