package collection

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/exchange/known"
	templates "rebatedesk/web/templates/collection"
)

// Exchanges is the page that says what each exchange tells, and what it leaves open.
func (s *Area) Exchanges(c *fiber.Ctx) error {
	return s.Render(c, templates.Exchanges(s.Page(c, "Exchanges", "/exchanges"), known.Sheets()))
}
