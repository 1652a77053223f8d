package summaries

import (
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// kindAt is the kind of the subscription that an address is about.
func kindAt(c *fiber.Ctx) outbox.SubscriptionKind {
	if strings.HasPrefix(c.Path(), templates.AlertsPath) {
		return outbox.KindAlert
	}
	return outbox.KindSchedule
}

// New is an empty form, with what is usual. Of an alert it asks first what is to be
// watched.
func (s *Area) New(c *fiber.Ctx) error {
	sub := outbox.Subscription{Ref: outbox.Ref{Kind: kindAt(c)}, Zone: s.Zone.String()}
	if sub.Kind == outbox.KindSchedule {
		sub.Every, sub.Hour, sub.Weekday, sub.MonthDay, sub.Deadline = string(mail.Daily), 7, time.Monday, 1, mail.DefaultDeadline
		return s.showForm(c, sub, ui.Form{Values: fieldsOf(sub)})
	}
	sub.Watches, sub.Hours, sub.Percent, sub.Coin = c.Query("watches"), mail.UsualFailing, mail.UsualPercent, usualCoin
	switch sub.Watches {
	case mail.WatchGap:
		sub.Hours = mail.UsualMissing
	case mail.WatchDrop:
		sub.Coin = ""
	}
	return s.showForm(c, sub, ui.Form{Values: fieldsOf(sub)})
}

// Edit is the form of a subscription as it is stored.
func (s *Area) Edit(c *fiber.Ctx) error {
	sub, err := s.subscription(c)
	if err != nil {
		return err
	}
	return s.showForm(c, sub, ui.Form{Values: fieldsOf(sub)})
}

// subscription is the one that the address names, as it is stored: it may be of no
// use any more.
func (s *Area) subscription(c *fiber.Ctx) (outbox.Subscription, error) {
	if s.Mail == nil {
		return outbox.Subscription{}, fiber.ErrNotFound
	}
	number, err := handler.IdIn(c)
	if err != nil {
		return outbox.Subscription{}, err
	}
	return s.Mail.Subscription(c.UserContext(), kindAt(c), number)
}

func (s *Area) showForm(c *fiber.Ctx, of outbox.Subscription, form ui.Form) error {
	v := templates.SubscriptionView{Subscription: of, Form: form, Zones: zones}
	var err error
	if v.MailPage, err = s.mailPage(c, v.Title(), templates.ListPath(of.Kind)); err != nil {
		return err
	}
	if v.Accounts, err = s.Mail.Accounts(c.UserContext()); err != nil {
		return err
	}
	switch {
	case of.Kind == outbox.KindSchedule:
		return s.Render(c, templates.ScheduleForm(v))
	case !slices.Contains(mail.Watches(), of.Watches):
		return s.Render(c, templates.AlertChoice(v))
	}
	return s.Render(c, templates.AlertForm(v))
}

// Save stores the form, as a new subscription where the address names none. What an
// alert watches stays what it is. What was typed comes back with all that is wrong
// with it.
func (s *Area) Save(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	old := outbox.Subscription{Ref: outbox.Ref{Kind: kindAt(c)}, Watches: s.Form(c).Get("watches")}
	if c.Params("id") != "" {
		var err error
		if old, err = s.subscription(c); err != nil {
			return err
		}
	}
	form := s.Typed(c)
	sub := subscriptionIn(s.Form(c), old, &form)
	if err := s.askOfCodes(c, sub, old, &form); err != nil {
		return err
	}
	err := s.SavePlan(&form, sub.ID != 0, &sub.Updated,
		func() error { return s.Mail.Check(c.UserContext(), sub) },
		func() error { return s.Mail.Save(c.UserContext(), sub, s.By(c)) })
	switch {
	case err != nil:
		return err
	case !form.Wrong() && old.ID == 0:
		return backToMail(c, templates.ListPath(old.Kind), "added")
	case !form.Wrong():
		return backToMail(c, templates.ListPath(old.Kind), "changed")
	case form.Stale:
		if old, err = s.subscription(c); err != nil {
			return err
		}
		form.Compare(fieldsOf(old), templates.FieldLabels(old.Kind))
	}
	c.Status(form.Status())
	return s.showForm(c, old, form)
}

// askOfCodes points out invite codes that nobody has, unless they are to be kept.
func (s *Area) askOfCodes(c *fiber.Ctx, sub, old outbox.Subscription, form *ui.Form) error {
	if s.Form(c).Has("keep_code") {
		form.Values["code_unknown"] = "yes"
		return nil
	}
	if sub.Code == old.Code {
		return nil
	}
	unknown, err := s.Mail.UnknownCodes(c.UserContext(), sub)
	if err == nil && len(unknown) > 0 {
		form.Fault("code", mail.UnknownCodeWords(unknown)+" Correct it, or keep it anyway.")
		form.Values["code_unknown"] = "yes"
	}
	return err
}

// Pause pauses a subscription, or takes it up again, as the address says.
func (s *Area) Pause(c *fiber.Ctx) error {
	paused, done := strings.HasSuffix(c.Path(), "/pause"), "resumed"
	if paused {
		done = "paused"
	}
	return s.change(c, templates.PausedWords(paused), done, func(sub outbox.Subscription) error {
		return s.Mail.Pause(c.UserContext(), sub, paused, s.By(c))
	})
}

// Remove ends a subscription, even one that is of no use any more.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.change(c, "removed", "removed", func(sub outbox.Subscription) error {
		return s.Mail.Remove(c.UserContext(), sub, s.By(c))
	})
}

// change changes the subscription that the address names, in the version that the
// form was made from, and leads back. Where somebody else was quicker the list shows
// what is stored and what was wanted.
func (s *Area) change(c *fiber.Ctx, wanted, done string, f func(outbox.Subscription) error) error {
	sub, err := s.subscription(c)
	if err != nil {
		return err
	}
	if sub.Updated, err = handler.SeenIn(s.Form(c)); err != nil {
		return err
	}
	err = f(sub)
	problem := handler.StaleOf(err)
	switch {
	case err == nil:
		return backToMail(c, templates.ListPath(sub.Kind), done)
	case problem == "":
		return err
	}
	if sub, err = s.subscription(c); err != nil {
		return err
	}
	form := handler.ButtonOf("state", wanted)
	s.Conflict(c, &form, problem, templates.StateFields(sub), templates.StateLabels)
	if sub.Kind == outbox.KindAlert {
		return s.showAlerts(c, sub.ID, form)
	}
	return s.showSchedules(c, sub.ID, form)
}
