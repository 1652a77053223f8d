package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/earnings"
)

// CommissionChoices apply to the page and to its files.
var CommissionChoices = query.AcceptedParams{Sorts: commissions.Sorts, Order: handler.ByTime, By: figures.Splits(), Columns: templates.CommissionColumnNames()}

// Commissions is the table of commission records.
func (s *Area) Commissions(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, commissions.Make)
	if err != nil {
		return fmt.Errorf("commissions: %w", err)
	}
	view := templates.CommissionsView{
		Report: report,
		Links:  s.Links(c, q),
		Closed: s.Closed(c, q),
	}
	view.Links.Writes = s.Annotates(c)
	if view.Why, err = s.Why(c, q); err != nil {
		return err
	}
	return s.Render(c, templates.Commissions(page, view))
}
