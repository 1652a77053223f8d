package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// codeChoices hold for the page and for its files.
var codeChoices = query.Choices{Sorts: invitecodes.CodeSorts, Order: mostEarned, Columns: templates.CodeChoices()}

// codes is the list of invite codes.
func (s *peopleArea) codes(c *fiber.Ctx) error {
	q, err := s.query(c, codeChoices)
	if err != nil {
		return err
	}
	page := s.page(c, "Invite codes", "/codes")
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.Codes(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	return s.render(c, templates.Codes(page, templates.CodesView{
		Report: report,
		Links:  templates.Links{NoFiles: !s.may(c, access.Export), Path: "/codes", Query: q, Order: mostEarned, Views: viewsOf(c)},
		Chart:  dailyChart(report.Daily),
	}))
}
