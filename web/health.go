package web

import (
	"github.com/gofiber/fiber/v2"
)

// health says that the process answers.
func (s *Server) health(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready says whether pages can be served: whether the store answers.
func (s *Server) ready(c *fiber.Ctx) error {
	if err := s.Ready(c.UserContext()); err != nil {
		s.Log.Warn("not ready", "error", err)
		return c.Status(fiber.StatusServiceUnavailable).SendString("not ready\n")
	}
	return c.SendString("ready\n")
}
