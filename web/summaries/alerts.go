package summaries

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

const AlertsPath = "/summaries/alerts"

// alertDone are the changes that the page may be led back to after.
var alertDone = map[string]string{
	"added":   "Alert added. It checks every few minutes from now on.",
	"changed": "Alert saved.",
	"paused":  "Alert paused: nothing is sent until it is resumed.",
	"resumed": "Alert resumed. It reports what happens from now on.",
	"removed": "Alert removed. The log of what it sent is kept.",
}

func (s *Area) alertFrame(c *fiber.Ctx, title string) (templates.MailPage, error) {
	frame, err := s.mailPage(c, title, AlertsPath)
	frame.Done = alertDone[c.Query("done")]
	return frame, err
}

// Alerts is the page of the alerts, and of what they hold back.
func (s *Area) Alerts(c *fiber.Ctx) error {
	frame, err := s.alertFrame(c, "Alerts")
	if err != nil {
		return err
	}
	v := templates.AlertsView{MailPage: frame}
	v.Server, _ = s.Mail.Via()
	if v.Alerts, err = s.Mail.AlertStates(c.UserContext()); err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	return s.Render(c, templates.Alerts(v))
}

// NewAlert asks what is to be watched, and then for the rest of it.
func (s *Area) NewAlert(c *fiber.Ctx) error {
	a := outbox.Alert{Watches: c.Query("watches"), Hours: mail.UsualFailing, Percent: mail.UsualPercent, Zone: s.Zone.String(), Coin: "USDT"}
	switch a.Watches {
	case mail.WatchGap:
		a.Hours = mail.UsualMissing
	case mail.WatchDrop:
		a.Coin = ""
	}
	return s.showAlert(c, a, ui.Form{Values: alertFields(a)})
}

// EditAlert is the form of an alert as it is stored.
func (s *Area) EditAlert(c *fiber.Ctx) error {
	a, err := s.alert(c)
	if err != nil {
		return err
	}
	return s.showAlert(c, a, ui.Form{Values: alertFields(a)})
}

// alert is the one that the address names.
func (s *Area) alert(c *fiber.Ctx) (outbox.Alert, error) {
	if s.Mail == nil {
		return outbox.Alert{}, fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return outbox.Alert{}, err
	}
	return s.Mail.AlertOf(c.UserContext(), id)
}

func (s *Area) showAlert(c *fiber.Ctx, of outbox.Alert, form ui.Form) error {
	title := "New alert"
	if of.ID != 0 {
		title = of.Name
	}
	frame, err := s.alertFrame(c, title)
	if err != nil {
		return err
	}
	v := templates.AlertView{MailPage: frame, Alert: of, Form: form, Zones: zones}
	if v.Accounts, err = s.Mail.Accounts(c.UserContext()); err != nil {
		return err
	}
	if !slices.Contains(mail.Watches(), of.Watches) {
		return s.Render(c, templates.AlertChoice(v))
	}
	return s.Render(c, templates.AlertForm(v))
}

// SaveAlert stores the form, as a new alert where the address names none. What
// an alert watches stays what it is. What was typed comes back with what is
// wrong with it.
func (s *Area) SaveAlert(c *fiber.Ctx) error {
	old := outbox.Alert{Watches: s.Form(c).Get("watches")}
	if c.Params("id") != "" {
		var err error
		if old, err = s.alert(c); err != nil {
			return err
		}
	}
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	form := s.Typed(c)
	a := alertIn(s.Form(c), old.Watches, &form)
	a.ID = old.ID
	err := s.SavePlan(&form, a.ID != 0, &a.Updated,
		func() error { _, err := s.Mail.CheckAlert(c.UserContext(), a); return err },
		func() error { return s.Mail.SaveAlert(c.UserContext(), a, s.By(c)) })
	switch {
	case err != nil:
		return err
	case !form.Wrong() && old.ID == 0:
		return backToMail(c, AlertsPath, "added")
	case !form.Wrong():
		return backToMail(c, AlertsPath, "changed")
	case form.Stale:
		if old, err = s.Mail.AlertOf(c.UserContext(), old.ID); err != nil {
			return err
		}
		form.Compare(alertFields(old), templates.AlertLabels())
	}
	c.Status(form.Status())
	return s.showAlert(c, old, form)
}

// alertFields are the fields of the form of an alert.
func alertFields(a outbox.Alert) map[string]string {
	var to []string
	for _, r := range a.Recipients {
		to = append(to, r.Address)
	}
	fields := map[string]string{
		"version": strconv.FormatInt(int64(a.Updated), 10), "watches": a.Watches, "name": a.Name, "account": string(a.Account), "hours": strconv.Itoa(a.Hours), "percent": strconv.Itoa(a.Percent),
		"amount": string(a.Amount), "coin": string(a.Coin), "recipients": strings.Join(to, "\n"), "zone": a.Zone, "apart": strconv.Itoa(a.Apart),
	}
	if a.QuietFrom != a.QuietUntil {
		fields["quiet"] = fmt.Sprintf("%02d:%02d-%02d:%02d", a.QuietFrom/60, a.QuietFrom%60, a.QuietUntil/60, a.QuietUntil%60)
	}
	return fields
}

// alertIn reads the fields of a form. What cannot be read at all is a fault of
// it; the rest is judged where alerts are.
func alertIn(fields url.Values, watches string, form *ui.Form) (a outbox.Alert) {
	text := func(name string) string { return strings.TrimSpace(fields.Get(name)) }
	number := func(name, problem string) int {
		n, err := strconv.Atoi(text(name))
		if err != nil {
			form.Fault(name, problem)
		}
		return n
	}
	a = outbox.Alert{Updated: handler.VersionIn(fields, form), Name: text("name"), Watches: watches, Account: affiliate.Account(text("account")), Zone: text("zone"),
		Coin: affiliate.Coin(text("coin")), Apart: number("apart", "Give a number of hours; 0 sends a mail for each event.")}
	switch watches {
	case mail.WatchCollection, mail.WatchGap:
		a.Hours = number("hours", "Give a number of hours.")
	case mail.WatchDrop:
		a.Percent = number("percent", "Give a percentage.")
	default:
		a.Amount = affiliate.Number(text("amount"))
	}
	var err error
	if a.QuietFrom, a.QuietUntil, err = mail.ParseQuiet(text("quiet")); err != nil {
		form.Fault("quiet", "Give two different times of day, such as 22:00-07:00, or leave it empty.")
	}
	for _, address := range addressesIn(fields.Get("recipients")) {
		a.Recipients = append(a.Recipients, outbox.Recipient{Address: address})
	}
	return a
}

// PauseAlert pauses an alert, or takes it up again, as the address says.
func (s *Area) PauseAlert(c *fiber.Ctx) error {
	a, err := s.alert(c)
	if err != nil {
		return err
	}
	paused, done := strings.HasSuffix(c.Path(), "/pause"), "resumed"
	if paused {
		done = "paused"
	}
	if err := s.Mail.PauseAlert(c.UserContext(), a.Name, paused, s.By(c)); err != nil {
		return err
	}
	return backToMail(c, AlertsPath, done)
}

func (s *Area) RemoveAlert(c *fiber.Ctx) error {
	a, err := s.alert(c)
	if err != nil {
		return err
	}
	if err := s.Mail.RemoveAlert(c.UserContext(), a.Name, s.By(c)); err != nil {
		return err
	}
	return backToMail(c, AlertsPath, "removed")
}
