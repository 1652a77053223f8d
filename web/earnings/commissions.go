package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/ui"
)

// CommissionChoices apply to the page and to its files.
var CommissionChoices = query.AcceptedParams{Sorts: commissions.Sorts, Order: handler.ByTime, By: figures.Splits(), Columns: templates.CommissionColumnNames()}

// Commissions is the table of commission records.
func (s *Area) Commissions(c *fiber.Ctx) error {
	q, err := s.Query(c, CommissionChoices)
	if err != nil {
		return err
	}
	page := s.Page(c, "Commissions", "/commissions")
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, commissions.Make)
	if err != nil {
		return fmt.Errorf("commissions: %w", err)
	}
	view := templates.CommissionsView{
		Report: report,
		Links:  ui.Links{NoFiles: !s.May(c, access.MayExport), Writes: s.Annotates(c), Path: "/commissions", Query: q, Order: handler.ByTime, By: figures.ByProduct, Views: handler.ViewsOf(c), Reported: s.Reported(c), Large: handler.IsUnfolded(c, "commissions")},
		Closed: s.Closed(c, q),
	}
	if view.Why, err = s.Why(c, q); err != nil {
		return err
	}
	return s.Render(c, templates.Commissions(page, view))
}
