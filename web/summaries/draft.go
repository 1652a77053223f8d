package summaries

import (
	"errors"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// Draft shows the newest mail of a schedule as its form describes it, before it is saved. The
// address has the fields of the form without its token and without recipients.
func (s *Area) Draft(c *fiber.Ctx) error {
	d, problems, err := s.drafted(c)
	if err != nil {
		return err
	}
	v := templates.DraftView{MailPage: s.mailPage(c, "Preview of a new schedule", "/summaries"), Problems: problems}
	if len(problems) == 0 {
		letter, err := mail.ParseLetter(d.content)
		if err != nil {
			return err
		}
		s.drafts.keep(s.draftKey(c), d.content)
		v.Label, v.Message = d.Label(s.Zone), templates.DraftPath+"/message?"+string(c.Request().URI().QueryString())
		for _, line := range letter.Header {
			if line.Name == "Subject" {
				v.Subject = line.Value
			}
		}
	}
	handler.Framing(c)
	return s.Render(c, templates.Draft(v))
}

// DraftedMessage returns the HTML part of such a mail, for its frame.
func (s *Area) DraftedMessage(c *fiber.Ctx) error {
	if content := s.drafts.take(s.draftKey(c)); content != nil {
		return sendFramed(c, content)
	}
	d, problems, err := s.drafted(c)
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return fiber.NewError(fiber.StatusBadRequest, problems[0])
	}
	return sendFramed(c, d.content)
}

// draftKey names the mail of a form and its reader: nobody gets what was made for another.
func (s *Area) draftKey(c *fiber.Ctx) string {
	return s.Reader(c) + "?" + string(c.Request().URI().QueryString())
}

// drafted makes the mail of the fields in the address, or says what is wrong with them.
func (s *Area) drafted(c *fiber.Ctx) (d drafted, problems []string, err error) {
	fields, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return d, nil, fiber.ErrBadRequest
	}
	if len(fields) == 0 { // the address without a form
		fields = valuesOf(fieldsOf(s.usual()))
	}
	var form ui.Form
	sub := subscriptionIn(fields, outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule}}, &form)
	sub.Recipients = outbox.Recipients([]string{anyRecipient})
	parse := func() (err error) { d.Schedule, err = mail.ParseSchedule(sub); return err }
	if err := s.SavePlan(&form, false, &sub.Updated, parse, parse); err != nil {
		return d, nil, err
	}
	if form.Wrong() {
		return d, problemsOf(form), nil
	}
	d.Period = dispatch.Every(d.Schedule.Every).Of(affiliate.DayOf(s.Mail.Now(), s.Zone)).Previous()
	d.content, err = s.Mail.Preview(c.UserContext(), d.Schedule, d.Period, anyRecipient)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return d, []string{"“" + affiliate.OneLine(wrong.Value) + "”: " + wrong.Problem + "."}, nil
	}
	return d, nil, err
}

// problemsOf lists the faults of a form.
func problemsOf(form ui.Form) (list []string) {
	if form.Alert != "" {
		list = append(list, form.Alert)
	}
	for _, problem := range form.Faults {
		list = append(list, problem)
	}
	slices.Sort(list)
	return list
}

func valuesOf(fields map[string]string) url.Values {
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, value)
	}
	return values
}
