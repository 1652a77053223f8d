package rates

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/rates"
	templates "rebatedesk/web/templates/rates"
)

// Rates compares what was agreed with what was paid.
func (s *Area) Rates(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Whole, q, rates.Make)
	if err != nil {
		return fmt.Errorf("rates: %w", err)
	}
	return s.Render(c, templates.Rates(page, templates.RatesView{Report: report, Links: s.Links(c, report.Query)}))
}
