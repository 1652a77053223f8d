package changes

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Report(s.Base, route.Page("/changes", access.MayRead, s.Changes).WithViews().Divided(), "/changes", reports.ExportChanges, changes.AcceptedOfChanges)
}
