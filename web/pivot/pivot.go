// Package pivot has the handler of the pivot table.
package pivot

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/pivot"
	"rebatedesk/web/templates/ui"
)

// Area holds the handler of the pivot table.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// Pivot is a table of commission by any two axes.
func (s *Area) Pivot(c *fiber.Ctx) error {
	q, err := s.Query(c, pivot.Accepted)
	if err != nil {
		return err
	}
	page := s.Page(c, "Pivot", templates.PivotPath)
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, pivot.Make)
	if err != nil {
		return fmt.Errorf("pivot: %w", err)
	}
	links := ui.Links{NoFiles: !s.May(c, access.MayExport), Path: templates.PivotPath, Query: report.Query, Views: handler.ViewsOf(c),
		By: pivot.Accepted.By[0], Across: pivot.Accepted.Across[0], Metric: pivot.Accepted.Metrics[0], Show: pivot.Accepted.Shows[0]}
	return s.Render(c, templates.Pivot(page, templates.PivotView{Report: report, Links: links}))
}
