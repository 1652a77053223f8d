package summaries

import (
	"fmt"
	"mime"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
)

// anyRecipient replaces the recipient in a preview for users who may not change
// schedules, because the message contains a link that ends its recipient's mails.
const anyRecipient = "recipient@example.com"

// drafted is a schedule, the requested period and its message as it would be sent now.
type drafted struct {
	mail.Schedule
	dispatch.Period
	content []byte
}

// draft makes the preview of the period that contains a day.
func (s *Area) draft(c *fiber.Ctx, date string) (d drafted, err error) {
	if d.Schedule, d.Period, err = s.periodAsked(c, date); err != nil {
		return d, err
	}
	to := anyRecipient
	if active := d.Active(); s.May(c, access.MayEdit) && len(active) > 0 {
		to = active[0] // a channel is shown as a mail to nobody in particular
	}
	d.content, err = s.Mail.Preview(c.UserContext(), d.Schedule, d.Period, to)
	return d, err
}

// periodAsked returns the period of a schedule that contains a day or, without a day,
// the newest that is over.
func (s *Area) periodAsked(c *fiber.Ctx, date string) (sc mail.Schedule, p dispatch.Period, err error) {
	if sc, err = s.schedule(c); err != nil {
		return sc, p, err
	}
	every, today := dispatch.Every(sc.Every), affiliate.DayOf(s.Mail.Now(), s.Zone)
	if date == "" {
		return sc, every.Of(today).Previous(), nil
	}
	day, err := affiliate.ParseDay(date)
	if err != nil || day <= 0 {
		return sc, p, &query.ParamError{Param: "date", Value: date, Problem: "is no day; write it as 2026-09-30"}
	}
	if p = every.Of(day); p.First > today {
		return sc, p, &query.ParamError{Param: "date", Value: date, Problem: "lies in a period that has not begun"}
	}
	return sc, p, nil
}

// Preview shows the message of a period as it would be sent now.
func (s *Area) Preview(c *fiber.Ctx) error {
	return s.showPreview(c, c.Query("date"), "")
}

// showPreview shows the message, and the reason why a test was not sent.
func (s *Area) showPreview(c *fiber.Ctx, date, alert string) error {
	d, err := s.draft(c, date)
	if err != nil {
		return err
	}
	v := templates.PreviewView{MailPage: s.mailPage(c, d.Name, "/summaries"), Schedule: d.Subscription, Period: d.Period, Label: d.Label(s.Zone), Alert: alert, To: s.Form(c).Get("to")}
	if v.Server, _, err = s.Mail.Via(c.UserContext()); err != nil {
		return err
	}
	if address, err := mailer.ParseAddress(s.Reader(c)); err == nil && v.To == "" {
		v.To = address // some users are named by their address
	}
	v.Today = affiliate.DayOf(s.Mail.Now(), s.Zone)
	if v.Letter, err = mail.ParseLetter(d.content); err != nil {
		return err
	}
	if v.Number, err = s.Mail.NextTest(c.UserContext(), d.Schedule, d.Period); err != nil {
		return err
	}
	handler.Framing(c)
	return s.Render(c, templates.Preview(v))
}

// PreviewedMessage returns the HTML part of a preview, for its frame.
func (s *Area) PreviewedMessage(c *fiber.Ctx) error {
	d, err := s.draft(c, c.Query("date"))
	if err != nil {
		return err
	}
	return sendFramed(c, d.content)
}

// PreviewedFile returns the message of a preview, or a file attached to it, as a file.
func (s *Area) PreviewedFile(c *fiber.Ctx) error {
	d, err := s.draft(c, c.Query("date"))
	if err != nil {
		return err
	}
	return s.sendPart(c, d.content, fmt.Sprintf("summary-%s.eml", d.First), "preview of "+d.Name+", "+d.Label(s.Zone))
}

// sendFramed answers with the HTML part of a message, which only a page of this origin
// may show, in a frame in which nothing runs.
func sendFramed(c *fiber.Ctx, content []byte) error {
	letter, err := mail.ParseLetter(content)
	if err != nil {
		return err
	}
	if letter.HTML == "" {
		return &store.RuleError{Problem: "The page of this message is not kept any more.", Missing: true}
	}
	handler.Framed(c)
	c.Set(fiber.HeaderContentType, "text/html; charset=utf-8")
	return c.SendString(letter.Page())
}

// sendPart answers with a message or one of its attachments as a file, depending on the
// extension in the address.
func (s *Area) sendPart(c *fiber.Ctx, content []byte, name, about string) error {
	kind, ending := "message/rfc822", path.Ext(c.Path())
	if ending != ".eml" {
		letter, err := mail.ParseLetter(content)
		if err != nil {
			return err
		}
		file, err := attached(letter, ending)
		if err != nil {
			return err
		}
		name, kind, content = file.Name, file.Type, file.Content
	}
	if err := s.Record(c, "export", name, about); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return c.Send(content)
}

// attached returns the attachment of a message with an extension.
func attached(l mail.Letter, ending string) (outbox.Attachment, error) {
	for _, file := range l.Files {
		if strings.EqualFold(path.Ext(file.Name), ending) {
			return file, nil
		}
	}
	return outbox.Attachment{}, &store.RuleError{Problem: "This message has no such file.", Missing: true}
}
