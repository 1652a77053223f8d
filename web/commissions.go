package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// commissionChoices hold for the page and for its files.
var commissionChoices = query.Choices{Sorts: commissions.CommissionSorts, Order: newestFirst, By: figures.Splits(), Columns: templates.CommissionChoices()}

// commissions is the table of commission records.
func (s *earningsArea) commissions(c *fiber.Ctx) error {
	q, err := s.query(c, commissionChoices)
	if err != nil {
		return err
	}
	page := s.page(c, "Commissions", "/commissions")
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.Commissions(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("commissions: %w", err)
	}
	view := templates.CommissionsView{
		Report: report,
		Links:  templates.Links{NoFiles: !s.may(c, access.Export), Path: "/commissions", Query: q, Order: newestFirst, By: figures.ByProduct, Views: viewsOf(c)},
		Chart:  dailyChart(report.Daily),
	}
	if view.Why, err = s.why(c.UserContext(), q); err != nil {
		return err
	}
	return s.render(c, templates.Commissions(page, view))
}
