// Package pivot has the handler of the pivot table.
package pivot

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/pivot"
)

// Area holds the handler of the pivot table.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// Pivot is a table of commission by any two axes.
func (s *Area) Pivot(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, pivot.Make)
	if err != nil {
		return fmt.Errorf("pivot: %w", err)
	}
	return s.Render(c, templates.Pivot(page, templates.PivotView{Report: report, Links: s.Links(c, report.Query)}))
}
