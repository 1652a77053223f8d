package web

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store/audit"
	"rebatedesk/web/templates"
)

// record notes in the log of audit what the caller is about to do. What cannot
// be noted is not done.
func (s *base) record(c *fiber.Ctx, action, object, detail string) error {
	by := s.who(c).Actor()
	return s.Access.Record(c.UserContext(), audit.Line{
		Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail,
	})
}

// by is the caller as the audit log has whoever does something.
func (s *base) by(c *fiber.Ctx) audit.Line {
	who := s.who(c).Actor()
	return audit.Line{Actor: who.Name, Via: who.Via, Address: who.Address}
}

// sessionRows are sessions with which of them the page is seen with.
func (s *base) sessionRows(c *fiber.Ctx, sessions []access.Session) []templates.SessionRow {
	rows := make([]templates.SessionRow, len(sessions))
	for i, session := range sessions {
		rows[i] = templates.SessionRow{Session: session, Current: session.ID == s.who(c).SessionID}
	}
	return rows
}
