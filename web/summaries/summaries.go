package summaries

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// mailPage returns the frame of a page about mail; path is that of its tab.
func (s *Area) mailPage(c *fiber.Ctx, title, path string) templates.MailPage {
	return templates.MailPage{Page: s.Page(c, title, path), Path: path, Token: s.Token(c), Zone: s.Zone,
		Edits: s.May(c, access.MayEdit), Files: s.May(c, access.MayExport), Done: mailDone[kindAt(c)][c.Query("done")],
	}
}

// mailDone are the changes that the pages can confirm after a redirect, by their
// object.
var mailDone = map[outbox.SubscriptionKind]map[string]string{
	outbox.KindSchedule: {
		"added":   "Schedule added. Its first mail goes out when it is next due.",
		"changed": "Schedule saved.",
		"paused":  "Schedule paused: nothing is sent until it is resumed.",
		"resumed": "Schedule resumed, starting with the next period that falls due.",
		"removed": "Schedule removed. The log of what it sent is kept.",
		"resent":  "The same mail is in the outbox again and goes out in a moment.",
		"sent":    "Sent: the mail server accepted it.",
	},
	outbox.KindAlert: {
		"added":   "Alert added. It checks every few minutes from now on.",
		"changed": "Alert saved.",
		"paused":  "Alert paused: nothing is sent until it is resumed.",
		"resumed": "Alert resumed. It reports what happens from now on.",
		"removed": "Alert removed. The log of what it sent is kept.",
	},
}

// newestShown is the number of deliveries below the schedules.
const newestShown = 5

// Summaries is the page of the schedules and of the state of mail.
func (s *Area) Summaries(c *fiber.Ctx) error { return s.showSchedules(c, 0, ui.Form{}) }

// showSchedules is the page of the schedules. A schedule that could not be changed
// shows the reason.
func (s *Area) showSchedules(c *fiber.Ctx, changed int64, form ui.Form) (err error) {
	v := templates.SummariesView{MailPage: s.mailPage(c, "Mails", "/summaries"), NoLinks: s.NoLinks, Changed: changed, Form: form}
	if v.Server, v.From, err = s.Mail.Via(c.UserContext()); err != nil {
		return err
	}
	if v.Outbox, err = s.Mail.Outbox(c.UserContext()); err != nil {
		return err
	}
	if v.Schedules, err = s.Mail.Standings(c.UserContext()); err != nil {
		return fmt.Errorf("schedules: %w", err)
	}
	v.Newest, err = s.Mail.Deliveries(c.UserContext(), outbox.AttemptQuery{Limit: newestShown})
	if err != nil {
		return err
	}
	return s.Render(c, templates.Summaries(v))
}

// Alerts is the page of the alerts and of the findings that they hold back.
func (s *Area) Alerts(c *fiber.Ctx) error { return s.showAlerts(c, 0, ui.Form{}) }

func (s *Area) showAlerts(c *fiber.Ctx, changed int64, form ui.Form) (err error) {
	v := templates.AlertsView{MailPage: s.mailPage(c, "Alerts", templates.AlertsPath), Changed: changed, Form: form}
	if v.Server, _, err = s.Mail.Via(c.UserContext()); err != nil {
		return err
	}
	if v.Alerts, err = s.Mail.AlertStates(c.UserContext()); err != nil {
		return fmt.Errorf("alerts: %w", err)
	}
	return s.Render(c, templates.Alerts(v))
}

// schedule returns the schedule in the address.
func (s *Area) schedule(c *fiber.Ctx) (mail.Schedule, error) {
	id, err := handler.IdIn(c)
	if err != nil {
		return mail.Schedule{}, err
	}
	return s.Mail.ScheduleOf(c.UserContext(), id)
}
