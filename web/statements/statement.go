package statements

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/reports/export"
	"rebatedesk/store/outbox"
	stored "rebatedesk/store/statements"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/statements"
	"rebatedesk/web/templates/ui"
)

// mostMails is how many mails of a statement its page lists.
const mostMails = 50

// Statement shows one statement.
func (s *Area) Statement(c *fiber.Ctx) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	values, err := parameters(c, "done")
	if err != nil {
		return err
	}
	return s.showStatement(c, number, func(v *templates.StatementView) { v.Done = done[values.Get("done")] })
}

func (s *Area) showStatement(c *fiber.Ctx, number string, change func(*templates.StatementView)) error {
	ctx := c.UserContext()
	page, err := s.Whole.Statement(ctx, number)
	if err != nil {
		return wrapped("statement", err)
	}
	payee, err := s.Whole.Payee(ctx, page.UID)
	if err != nil {
		return wrapped("payee", err)
	}
	v := templates.StatementView{StatementPage: page, Token: s.token(c), Zone: s.Zone, Payee: payee, MayDownload: s.May(c, access.MayExport)}
	v.Mail.Values = map[string]string{"to": payee.Email}
	v.Pay.Values = map[string]string{}
	if s.Mail != nil {
		server, _, err := s.Mail.Via(ctx)
		if err != nil {
			return err
		}
		v.CanMail = server != ""
		if v.Mails, err = s.Mail.Deliveries(ctx, outbox.AttemptQuery{Scope: stored.MailScope(number), Limit: mostMails}); err != nil {
			return wrapped("mails of a statement", err)
		}
		if v.Queued, err = s.Mail.MailsAbout(ctx, stored.MailScope(number)); err != nil {
			return wrapped("mails of a statement", err)
		}
	}
	change(&v)
	return s.Render(c, templates.Statement(s.Page(c, "Statement "+number, "/statements"), v))
}

// Correct issues the correction of a statement.
func (s *Area) Correct(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, number string) (string, error) {
		issued, err := s.Whole.CorrectStatement(c.UserContext(), number, f.Text("reason"), f.By)
		return confirmed(path(issued.Number), "corrected"), err
	}, func(v *templates.StatementView, form ui.Form) { v.Correction = form })
}

// Pay notes that a statement was paid.
func (s *Area) Pay(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, number string) (string, error) {
		f.Text("reference")
		day := f.Day("day", "Give a day, such as 2026-10-02.")
		if f.Wrong() {
			return "", nil
		}
		return confirmed(path(number), "paid"), s.Whole.PayStatement(c.UserContext(), number, stored.Payment{Day: day, Reference: f.Fields.Get("reference")}, f.By)
	}, func(v *templates.StatementView, form ui.Form) { v.Pay = form })
}

// Unpay takes back the note of a payment.
func (s *Area) Unpay(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, number string) (string, error) {
		return confirmed(path(number), "unpaid"), s.Whole.UnpayStatement(c.UserContext(), number, f.By)
	}, nil)
}

// Send queues the mail of a statement.
func (s *Area) Send(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, number string) (string, error) {
		before, err := strconv.Atoi(f.Fields.Get("queued"))
		if err != nil || before < 0 || s.Mail == nil {
			return "", handler.NewProblem(fiber.StatusBadRequest, "The form is not of this page: open the page again.")
		}
		to := f.Text("to")
		page, err := s.Whole.Statement(c.UserContext(), number)
		if err != nil {
			return "", err
		}
		files, err := s.Whole.StatementFiles(c.UserContext(), number)
		if err != nil {
			return "", err
		}
		err = s.Mail.SendStatement(c.UserContext(), page.Content, files, to, before, f.By)
		if errors.Is(err, mail.ErrNoServer) {
			f.Alert = "No mail can be sent: an administrator enters a mail server under Settings, Mail."
			return "", nil
		}
		return confirmed(path(number), "sent"), handler.At("to", err)
	}, func(v *templates.StatementView, form ui.Form) { v.Mail = form })
}

// act answers a form about the statement in the address. refused puts it into the page of the statement.
func (s *Area) act(c *fiber.Ctx, do func(f *handler.Sent, number string) (string, error), refused func(*templates.StatementView, ui.Form)) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	var again func(*handler.Sent) error
	if refused != nil {
		again = func(f *handler.Sent) error {
			return s.showStatement(c, number, func(v *templates.StatementView) { refused(v, f.Form) })
		}
	}
	return s.Act(c, func(f *handler.Sent) (string, error) { return do(f, number) }, again)
}

// File answers with a file of a statement as it was issued.
func (s *Area) File(format string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		number, err := numberIn(c)
		if err != nil {
			return err
		}
		if _, err := parameters(c); err != nil {
			return err
		}
		files, err := s.Whole.StatementFiles(c.UserContext(), number)
		if err != nil {
			return wrapped("files of a statement", err)
		}
		content, kind := files.PDF, "application/pdf"
		if format == "xlsx" {
			content, kind = files.XLSX, export.XLSX.ContentType()
		}
		if err := s.Record(c, "export", "statement "+number+" as "+format, ""); err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, kind)
		c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition("statement-"+number+"."+format))
		return c.Send(content)
	}
}
