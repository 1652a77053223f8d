package handler

import "github.com/gofiber/fiber/v2"

// Home returns the address of the server without a slash at its end: the public one, otherwise the
// one that the request named.
func (s *Base) Home(c *fiber.Ctx) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return c.BaseURL()
}
