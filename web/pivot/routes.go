package pivot

import (
	"rebatedesk/access"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Page("/pivot", access.MayRead, s.Pivot).
		Help("Pivot", "How does a figure divide by any two axes, such as code and month?", "pivot table", "range", "product", "source").
		Try("Choose the rows, the columns and the figure.").Listed(navigation.Earnings, "table", "table by two axes").WithViews().Divided().
		Report(s.Base, "/pivot", pivot.File, pivot.Accepted)
}
