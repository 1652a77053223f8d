package summaries

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/dispatch"
	"rebatedesk/mail"
	"rebatedesk/reports/findings"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// kindAt returns the kind of the subscription in an address.
func kindAt(c *fiber.Ctx) outbox.SubscriptionKind {
	if strings.HasPrefix(c.Path(), templates.AlertsPath) {
		return outbox.KindAlert
	}
	return outbox.KindSchedule
}

// New shows an empty form with the defaults. For an alert it first asks which condition
// to watch.
func (s *Area) New(c *fiber.Ctx) error {
	if kindAt(c) == outbox.KindSchedule {
		return s.showForm(c, s.usual(), ui.Form{Values: fieldsOf(s.usual())})
	}
	sub := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Zone: s.Zone.String()}
	sub.Watches = c.Query("watches")
	if kind := findings.AlertKind(sub.Watches); kind != nil {
		sub.Hours, sub.Percent = kind.Alert.Hours, kind.Alert.Percent
		if kind.Alert.Amount != "" {
			sub.Coin = usualCoin
		}
	}
	return s.showForm(c, sub, ui.Form{Values: fieldsOf(sub)})
}

// usual is a new schedule with the defaults.
func (s *Area) usual() outbox.Subscription {
	return outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule}, Zone: s.Zone.String(), Every: string(dispatch.Daily), Hour: 7, Weekday: time.Monday, MonthDay: 1, Deadline: mail.DefaultDeadline}
}

// Edit shows the form of a stored subscription.
func (s *Area) Edit(c *fiber.Ctx) error {
	sub, err := s.subscription(c)
	if err != nil {
		return err
	}
	return s.showForm(c, sub, ui.Form{Values: fieldsOf(sub)})
}

// subscription returns the subscription in the address, in its stored form, which may
// no longer be usable.
func (s *Area) subscription(c *fiber.Ctx) (outbox.Subscription, error) {
	number, err := handler.IdIn(c)
	if err != nil {
		return outbox.Subscription{}, err
	}
	return s.Mail.Subscription(c.UserContext(), kindAt(c), number)
}

func (s *Area) showForm(c *fiber.Ctx, of outbox.Subscription, form ui.Form) (err error) {
	v := templates.SubscriptionView{Subscription: of, Form: form, Zones: zones}
	v.MailPage = s.mailPage(c, v.Title(), templates.ListPath(of.Kind))
	if v.Accounts, err = s.Mail.Accounts(c.UserContext()); err != nil {
		return err
	}
	if v.Segments, err = s.Mail.Segments(c.UserContext()); err != nil {
		return err
	}
	if v.Channels, err = s.Mail.Channels(c.UserContext()); err != nil {
		return err
	}
	if v.Users, err = s.Mail.BoundUsers(c.UserContext()); err != nil {
		return err
	}
	switch {
	case of.Kind == outbox.KindSchedule:
		handler.Framing(c)
		return s.Render(c, templates.ScheduleForm(v))
	case findings.AlertKind(of.Watches) == nil:
		return s.Render(c, templates.AlertChoice(v))
	}
	return s.Render(c, templates.AlertForm(v))
}

// Save stores the form, as a new subscription if the address names none. The watched
// condition of an alert cannot change. A refused form comes back with all its errors.
func (s *Area) Save(c *fiber.Ctx) (err error) {
	old := outbox.Subscription{Ref: outbox.Ref{Kind: kindAt(c)}, Watches: s.Form(c).Get("watches")}
	if c.Params("id") != "" {
		if old, err = s.subscription(c); err != nil {
			return err
		}
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Form = s.Typed(c)
		sub := subscriptionIn(f.Fields, old, &f.Form)
		if err := s.askOfCodes(c, sub, old, &f.Form); err != nil {
			return "", err
		}
		err := s.SavePlan(&f.Form, sub.ID != 0, &sub.Updated,
			func() error { return s.Mail.Check(c.UserContext(), sub) },
			func() error { return s.Mail.Save(c.UserContext(), sub, f.By) })
		if old.ID != 0 {
			return handler.Confirming(templates.ListPath(old.Kind), "changed"), err
		}
		return handler.Confirming(templates.ListPath(old.Kind), "added"), err
	}, func(f *handler.Sent) error {
		if f.Stale {
			if old, err = s.subscription(c); err != nil {
				return err
			}
			f.Compare(fieldsOf(old), templates.FieldLabels(old.Kind))
		}
		return s.showForm(c, old, f.Form)
	})
}

// askOfCodes points out invite codes that no invitee has, unless they are to be kept.
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

// pausing reports whether a form pauses something or resumes it, as the address says, and what
// confirms it.
func pausing(c *fiber.Ctx) (paused bool, done string) {
	if strings.HasSuffix(c.Path(), "/pause") {
		return true, "paused"
	}
	return false, "resumed"
}

// Pause pauses or resumes a subscription, as the address says.
func (s *Area) Pause(c *fiber.Ctx) error {
	paused, done := pausing(c)
	return s.change(c, templates.PausedWords(paused), done, func(sub outbox.Subscription, by audit.Line) error {
		return s.Mail.Pause(c.UserContext(), sub, paused, by)
	})
}

// Remove ends a subscription, even an unusable one.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.change(c, "removed", "removed", func(sub outbox.Subscription, by audit.Line) error {
		return s.Mail.Remove(c.UserContext(), sub, by)
	})
}

// change changes the subscription in the address, in the version from which the form
// was made. After a concurrent change the list shows the stored and the wanted values.
func (s *Area) change(c *fiber.Ctx, wanted, done string, change func(outbox.Subscription, audit.Line) error) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Form = handler.ButtonOf("state", wanted)
		sub, err := s.subscription(c)
		if err != nil {
			return "", err
		}
		if sub.Updated, err = f.Seen(); err != nil {
			return "", err
		}
		return handler.Confirming(templates.ListPath(sub.Kind), done), change(sub, f.By)
	}, func(f *handler.Sent) error {
		if !f.Overtaken() {
			return f.Refused
		}
		sub, err := s.subscription(c)
		if err != nil {
			return err
		}
		f.Conflict(templates.StateFields(sub), templates.StateLabels)
		if sub.Kind == outbox.KindAlert {
			return s.showAlerts(c, sub.ID, f.Form)
		}
		return s.showSchedules(c, sub.ID, f.Form)
	})
}
