package summaries

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/summaries"
	"rebatedesk/web/templates/ui"
)

// mailPage is the frame of a page about mail; path is that of its tab.
func (s *Area) mailPage(c *fiber.Ctx, title, path string) (templates.MailPage, error) {
	if s.Mail == nil {
		return templates.MailPage{}, fiber.ErrNotFound
	}
	return templates.MailPage{Page: s.Page(c, title, "/summaries"), Path: path, Token: s.Token(c), Zone: s.Zone,
		Edits: s.May(c, access.Edit), Files: s.May(c, access.Export), Done: mailDone[c.Query("done")],
		Tabs: []ui.Tab{{Path: "/summaries", Label: "Schedules"}, {Path: "/summaries/deliveries", Label: "Deliveries"}, {Path: "/summaries/alerts", Label: "Alerts"}},
	}, nil
}

// mailDone are the changes that the pages may be led back to after.
var mailDone = map[string]string{
	"added":   "Schedule added. Its first mail goes out when it is next due.",
	"changed": "Schedule saved.",
	"paused":  "Schedule paused: nothing is sent until it is resumed.",
	"resumed": "Schedule resumed, starting with the next period that falls due.",
	"removed": "Schedule removed. The log of what it sent is kept.",
	"resent":  "The same mail is in the outbox again and goes out in a moment.",
	"sent":    "Sent: the mail server accepted it.",
}

// backToMail leads to a page about mail, which says what was done.
func backToMail(c *fiber.Ctx, path, done string) error {
	return c.Redirect(path+"?"+url.Values{"done": {done}}.Encode(), fiber.StatusSeeOther)
}

// newestShown is how many deliveries stand below the schedules.
const newestShown = 5

// Summaries is the page of the schedules, and of how mail goes out.
func (s *Area) Summaries(c *fiber.Ctx) error {
	frame, err := s.mailPage(c, "Summaries", "/summaries")
	if err != nil {
		return err
	}
	v := templates.SummariesView{MailPage: frame, NoLinks: s.NoLinks}
	v.Server, v.From = s.Mail.Via()
	if v.Outbox, err = s.Mail.Outbox(c.UserContext()); err != nil {
		return err
	}
	if v.Schedules, err = s.Mail.Standings(c.UserContext()); err != nil {
		return fmt.Errorf("schedules: %w", err)
	}
	v.Newest, err = s.Mail.Deliveries(c.UserContext(), outbox.DeliveryQuery{Limit: newestShown})
	if err != nil {
		return err
	}
	return s.Render(c, templates.Summaries(v))
}

// schedule is the schedule that the address names.
func (s *Area) schedule(c *fiber.Ctx) (mail.Schedule, error) {
	if s.Mail == nil {
		return mail.Schedule{}, fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return mail.Schedule{}, err
	}
	return s.Mail.ScheduleOf(c.UserContext(), id)
}

// PauseSchedule pauses a schedule, or takes it up again, as the address says.
func (s *Area) PauseSchedule(c *fiber.Ctx) error {
	sc, err := s.schedule(c)
	if err != nil {
		return err
	}
	paused, done := strings.HasSuffix(c.Path(), "/pause"), "resumed"
	if paused {
		done = "paused"
	}
	if err := s.Mail.PauseSchedule(c.UserContext(), sc.Name, paused, s.By(c)); err != nil {
		return err
	}
	return backToMail(c, "/summaries", done)
}

func (s *Area) RemoveSchedule(c *fiber.Ctx) error {
	if s.Mail == nil {
		return fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	// One that cannot be used any more can be removed all the same.
	raw, err := s.rawSchedule(c, id)
	if err != nil {
		return err
	}
	if err := s.Mail.RemoveSchedule(c.UserContext(), raw.Name, s.By(c)); err != nil {
		return err
	}
	return backToMail(c, "/summaries", "removed")
}
