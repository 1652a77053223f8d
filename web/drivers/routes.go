package drivers

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Report(s.Base, route.Page("/drivers", access.MayRead, s.Drivers).WithViews().Divided(), "/drivers", reports.ExportDrivers, drivers.AcceptedOfDrivers)
}
