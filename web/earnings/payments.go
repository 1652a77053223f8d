package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/query"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/ui"
)

// Payments says what was paid and what is outstanding. The overview loads it separately: the
// books of payments are about all time, whatever range the page shows.
func (s *Area) Payments(c *fiber.Ctx) error {
	q, err := s.Query(c, query.AcceptedParams{Taken: templates.PaymentParams})
	if err != nil {
		return err
	}
	page := s.Page(c, "Paid and outstanding", "/")
	report, err := s.Reports(c).PaymentOverview(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("payments on the overview: %w", err)
	}
	return s.Render(c, templates.PaymentsPage(page, templates.PaymentsView{
		Report: report, Links: ui.Links{Path: "/overview/payments", Query: q, Reported: s.Reported(c)},
	}))
}
