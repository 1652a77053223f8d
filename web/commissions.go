package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/web/templates"
)

// commissions is the table of commission records.
func (s *Server) commissions(c *fiber.Ctx) error {
	q, err := s.query(c, reports.CommissionSorts, newestFirst)
	if err != nil {
		return err
	}
	page := s.page("Commissions", "/commissions")
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.Commissions(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("commissions: %w", err)
	}
	return s.render(c, templates.Commissions(page, templates.CommissionsView{
		Report: report,
		Links:  templates.Links{Path: "/commissions", Query: q, Order: newestFirst},
		Chart:  dailyChart(report.Daily),
	}))
}
