package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/pivot"
)

// PivotRoutes are the addresses of the pivot table.
func (s *Area) PivotRoutes() []route.Route {
	return route.Page("/pivot", access.MayRead, s.Pivot).
		Help("Pivot", "How does a figure divide by any two axes, such as code and month?", "pivot table", "range", "product", "source").
		Try("Choose the rows, the columns and the figure.").Listed(navigation.Earnings, "table", "table by two axes").WithViews().Divided().
		Report(s.Base, "/pivot", pivot.File, pivot.Accepted)
}

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
