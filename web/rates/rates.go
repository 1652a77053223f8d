package rates

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/rates"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/rates"
	"rebatedesk/web/templates/ui"
)

// Rates compares what was agreed with what was paid.
func (s *Area) Rates(c *fiber.Ctx) error {
	q, err := s.Query(c, rates.Accepted)
	if err != nil {
		return err
	}
	page := s.Page(c, "Rates", templates.RatesPath)
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Whole, q, rates.Make)
	if err != nil {
		return fmt.Errorf("rates: %w", err)
	}
	return s.Render(c, templates.Rates(page, templates.RatesView{Report: report, Links: ui.Links{
		NoFiles: !s.May(c, access.MayExport), Path: templates.RatesPath, Query: report.Query, Views: handler.ViewsOf(c), Reported: s.Reported(c),
		Order: rates.Accepted.Order,
	}}))
}
