package pivot

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/pivot"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Report(s.Base, route.Page("/pivot", access.MayRead, s.Pivot).WithViews().Divided(), "/pivot", reports.ExportPivot, pivot.AcceptedOfPivot)
}
