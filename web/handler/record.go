package handler

import (
	"context"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web/templates/ui"
)

// Record writes to the audit log what the caller is about to do. If the entry cannot be
// written, the action is not performed.
func (s *Base) Record(c *fiber.Ctx, action, object, detail string) error {
	by := s.Who(c).Actor()
	return s.Access.Record(c.UserContext(), audit.Line{
		Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail,
	})
}

// Begin records what the caller starts and does it in the background, unless what was started here is still
// going on, and leads to the page that shows its progress.
func (s *Base) Begin(c *fiber.Ctx, what string, going *atomic.Bool, do func(context.Context) error, to string) error {
	if err := s.Record(c, what, "", ""); err != nil {
		return err
	}
	if going.CompareAndSwap(false, true) {
		s.Go(func() {
			defer going.Store(false)
			if err := s.Guarded(what, func() error { return do(s.Life) }); err != nil {
				s.Log.Warn("what a page asked for failed", "asked", what, "error", err)
			}
		})
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// By returns the caller in the form that the audit log records.
func (s *Base) By(c *fiber.Ctx) audit.Line {
	who := s.Who(c).Actor()
	return audit.Line{Actor: who.Name, Via: who.Via, Address: who.Address}
}

// SessionRows returns sessions, and marks the one that shows the page.
func (s *Base) SessionRows(c *fiber.Ctx, sessions []access.Session) []ui.SessionRow {
	rows := make([]ui.SessionRow, len(sessions))
	for i, session := range sessions {
		rows[i] = ui.SessionRow{Session: session, Current: session.ID == s.Who(c).SessionID}
	}
	return rows
}
