package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/programmes"
	templates "rebatedesk/web/templates/earnings"
)

// Programmes shows the accounts side by side.
func (s *Area) Programmes(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, programmes.Make)
	if err != nil {
		return fmt.Errorf("programmes: %w", err)
	}
	return s.Render(c, templates.Programmes(page, templates.ProgrammesView{Report: report, Links: s.Links(c, q)}))
}
