package web

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/store"
)

// record notes in the log of audit what the caller is about to do. What cannot
// be noted is not done.
func (s *Server) record(c *fiber.Ctx, action, object, detail string) error {
	by := s.who(c).Actor()
	return s.Access.Record(c.UserContext(), store.Audit{
		Actor: by.Name, Via: by.Via, Address: by.Address, Action: action, Object: object, Detail: detail,
	})
}
