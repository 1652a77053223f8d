package statements

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
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
		server, _ := s.Mail.Via()
		v.CanMail = server != ""
		if v.Mails, err = s.Mail.Deliveries(ctx, outbox.DeliveryQuery{Scope: stored.MailScope(number), Limit: mostMails}); err != nil {
			return wrapped("mails of a statement", err)
		}
		if v.Queued, err = s.Mail.StatementMails(ctx, number); err != nil {
			return wrapped("mails of a statement", err)
		}
	}
	change(&v)
	return s.Render(c, templates.Statement(s.Page(c, "Statement "+number, "/sub-affiliates"), v))
}

// Correct issues the correction of a statement.
func (s *Area) Correct(c *fiber.Ctx) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	form := handler.FormOf("reason", strings.TrimSpace(s.Form(c).Get("reason")))
	issued, err := s.Whole.CorrectStatement(c.UserContext(), number, form.Values["reason"], s.By(c))
	switch {
	case err == nil:
		return backTo(c, path(issued.Number), "corrected")
	case !refused(&form, err):
		return wrapped("correct a statement", err)
	}
	c.Status(form.Status())
	return s.showStatement(c, number, func(v *templates.StatementView) { v.Correction = form })
}

// Pay notes that a statement was paid.
func (s *Area) Pay(c *fiber.Ctx) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	fields := s.Form(c)
	form := ui.Form{Values: map[string]string{"day": fields.Get("day"), "reference": fields.Get("reference")}}
	day, err := affiliate.ParseDay(fields.Get("day"))
	if err != nil {
		form.Fault("day", "Give a day, such as 2026-10-02.")
	} else {
		err = s.Whole.PayStatement(c.UserContext(), number, stored.Payment{Day: day, Reference: fields.Get("reference")}, s.By(c))
		switch {
		case err == nil:
			return backTo(c, path(number), "paid")
		case !refused(&form, err):
			return wrapped("note a payment", err)
		}
	}
	c.Status(form.Status())
	return s.showStatement(c, number, func(v *templates.StatementView) { v.Pay = form })
}

// Unpay takes back the note of a payment.
func (s *Area) Unpay(c *fiber.Ctx) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	if err := s.Whole.UnpayStatement(c.UserContext(), number, s.By(c)); err != nil {
		return wrapped("take back a payment", err)
	}
	return backTo(c, path(number), "unpaid")
}

// Send queues the mail of a statement.
func (s *Area) Send(c *fiber.Ctx) error {
	number, err := numberIn(c)
	if err != nil {
		return err
	}
	fields := s.Form(c)
	before, err := strconv.Atoi(fields.Get("queued"))
	if err != nil || before < 0 || s.Mail == nil {
		return handler.NewProblem(fiber.StatusBadRequest, "The form is not of this page: open the page again.")
	}
	form := handler.FormOf("to", strings.TrimSpace(fields.Get("to")))
	page, err := s.Whole.Statement(c.UserContext(), number)
	if err != nil {
		return wrapped("statement", err)
	}
	files, err := s.Whole.StatementFiles(c.UserContext(), number)
	if err != nil {
		return wrapped("files of a statement", err)
	}
	err = s.Mail.SendStatement(c.UserContext(), page.Content, files, form.Values["to"], before, s.By(c))
	switch {
	case err == nil:
		return backTo(c, path(number), "sent")
	case errors.Is(err, mail.ErrNoServer):
		form.Alert = "No mail can be sent: set SMTP_URL and MAIL_FROM."
	case !refused(&form, err):
		return wrapped("send a statement", err)
	case form.Alert != "" && form.Faults["to"] == "":
		form.Fault("to", form.Alert)
		form.Alert = ""
	}
	c.Status(form.Status())
	return s.showStatement(c, number, func(v *templates.StatementView) { v.Mail = form })
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
