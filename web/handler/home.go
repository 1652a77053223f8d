package handler

import "github.com/gofiber/fiber/v2"

// HomeOf returns the address of the server without a slash at its end: the public one, otherwise the
// one that the request named.
func HomeOf(s *Base, c *fiber.Ctx) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return c.BaseURL()
}
