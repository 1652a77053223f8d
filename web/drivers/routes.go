package drivers

import (
	"rebatedesk/access"
	"rebatedesk/reports/drivers"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return route.Page("/drivers", access.MayRead, s.Drivers).
		Help("Drivers", "Why did my commission change?", "drivers", "contribution", "effect", "presence", "share of fees").
		Try("Switch between invitees, codes and pairs: the parts always add up to the whole change.").Listed(navigation.Earnings, "compare", "why change moved").WithViews().Divided().
		Report(s.Base, "/drivers", drivers.File, drivers.Accepted)
}
