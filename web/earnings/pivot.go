package earnings

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/pivot"
	"rebatedesk/web/templates/ui"
)

// PivotRoutes are the addresses of the pivot table.
func (s *Area) PivotRoutes() []route.Route {
	return route.Page("/pivot", access.MayRead, s.Pivot).
		Help("Table", "How does a figure divide by any two axes, such as code and month?", "pivot table", "range", "product", "source").
		Try("Choose the rows, the columns and the figure.").Listed(navigation.Earnings, "table", "pivot by two axes").WithViews().Divided().
		Report(s.Base, "/pivot", pivot.File, pivot.Accepted)
}

// Pivot is a table of commission by any two axes.
func (s *Area) Pivot(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), pivot.Make, func(p ui.Page, r pivot.Report, l ui.Links) templ.Component {
		l.Query = r.Query
		return templates.Pivot(p, templates.PivotView{Report: r, Links: l})
	})
}
