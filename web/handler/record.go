package handler

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web/templates/ui"
)

// Record notes in the log of audit what the caller is about to do. What cannot
// be noted is not done.
func (s *Base) Record(c *fiber.Ctx, action, object, detail string) error {
	by := s.Who(c).Actor()
	return s.Access.Record(c.UserContext(), audit.Line{
		Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail,
	})
}

// By is the caller as the audit log has whoever does something.
func (s *Base) By(c *fiber.Ctx) audit.Line {
	who := s.Who(c).Actor()
	return audit.Line{Actor: who.Name, Via: who.Via, Address: who.Address}
}

// SessionRows are sessions with which of them the page is seen with.
func (s *Base) SessionRows(c *fiber.Ctx, sessions []access.Session) []ui.SessionRow {
	rows := make([]ui.SessionRow, len(sessions))
	for i, session := range sessions {
		rows[i] = ui.SessionRow{Session: session, Current: session.ID == s.Who(c).SessionID}
	}
	return rows
}
