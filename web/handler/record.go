package handler

import (
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
