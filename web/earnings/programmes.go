package earnings

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/programmes"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/earnings"
)

// Programmes shows the accounts side by side.
func (s *Area) Programmes(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), programmes.Make, templates.Programmes)
}
