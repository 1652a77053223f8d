package settings

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/web/admin"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

// MailServer is the page of the mail server.
func (s *Area) MailServer(c *fiber.Ctx) error { return s.showMailServer(c, templates.MailServerView{}) }

// showMailServer shows the mail server on its own page, or as a step of the setup if the form belongs to it.
func (s *Area) showMailServer(c *fiber.Ctx, v templates.MailServerView) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	if s.ofSetup(c) {
		return s.showSetup(c, templates.StepsView{Current: stepMail, Mail: v})
	}
	if err := s.mailServer(c, &v); err != nil {
		return err
	}
	v.Settings = s.settingsPage(c, "Mail", templates.MailServerPath)
	return s.Render(c, templates.MailServerPage(v))
}

// mailServer reads what the form of the mail server shows.
func (s *Area) mailServer(c *fiber.Ctx, v *templates.MailServerView) (err error) {
	if v.State, err = s.Mail.ServerState(c.UserContext()); err != nil {
		return err
	}
	if v.New.Values == nil {
		v.New.Values = templates.MailServerFields(v.State.Entered)
		v.Provider = templates.ProviderNamed(c.Query("provider"))
		v.Provider.Fill(v.New.Values)
	}
	if v.To == "" {
		if address, err := mailer.ParseAddress(s.Reader(c)); err == nil {
			v.To = address // some users are named by their address
		}
	}
	return nil
}

// EnterMailServer stores the mail server.
func (s *Area) EnterMailServer(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		n := mail.NewServer{Host: f.Text("host"), Port: f.Text("port"), Security: f.Text("security"), User: f.Text("user"),
			Password: f.Fields.Get("password"), From: f.Text("from"), Hello: f.Text("hello")}
		seen := handler.VersionIn(f.Fields, &f.Form) // 0: none was there
		if f.Wrong() {
			return "", nil
		}
		if n.Password != "" {
			f.Values["password"] = ui.Hidden
		}
		return s.mailDone(c, "mail"), s.Mail.EnterServer(c.UserContext(), n, seen, f.By)
	}, s.mailAgain(c))
}

// RemoveMailServer forgets the mail server.
func (s *Area) RemoveMailServer(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		return s.mailDone(c, "unmailed"), s.Mail.RemoveServer(c.UserContext(), seen, f.By)
	}, s.mailAgain(c))
}

// mailDone returns the address of the page that confirms a change: that of the form.
func (s *Area) mailDone(c *fiber.Ctx, done string) string {
	if s.ofSetup(c) {
		return setupStep(stepMail, done)
	}
	return handler.Confirming(templates.MailServerPath, done)
}

// mailAgain shows a refused form once more.
func (s *Area) mailAgain(c *fiber.Ctx) func(*handler.Sent) error {
	return func(f *handler.Sent) error {
		if f.Overtaken() {
			state, err := s.Mail.ServerState(c.UserContext())
			if err != nil {
				return err
			}
			f.Conflict(templates.MailServerFields(state.Entered), templates.MailServerLabels)
		}
		return s.showMailServer(c, templates.MailServerView{New: f.Form})
	}
}

// mailTestWithin ends a test before the page times out.
const mailTestWithin = 40 * time.Second

// TestMailServer sends a few words to an address, and shows what the mail server says to them.
func (s *Area) TestMailServer(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), mailTestWithin)
	defer cancel()
	var found admin.AccountCheck
	return s.Act(c, func(f *handler.Sent) (string, error) {
		answer, err := s.Mail.SendTest(ctx, f.Text("to"), f.By)
		refused, known := errors.AsType[*mailer.SendError](err)
		switch {
		case handler.ProblemOf(err) != "":
			return "", handler.At("to", err)
		case err == nil:
			found = admin.AccountCheck{Result: admin.CheckPassed, Text: answer}
		case errors.Is(err, mail.ErrNoServer):
			f.Alert = "There is no mail server yet."
		case known:
			found = admin.AccountCheck{Result: admin.CheckFailed, Text: refused.Error(), Hint: refused.Hint}
		default:
			found = admin.AccountCheck{Result: admin.CheckFailed, Text: err.Error()}
		}
		return "", nil
	}, func(f *handler.Sent) error {
		v := templates.MailServerView{Test: f.Form, To: f.Values["to"]}
		if found.Result != "" {
			v.Tested = &found
		}
		return s.showMailServer(c, v)
	})
}
