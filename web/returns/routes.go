package returns

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/returns"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Report(s.Base, route.Page("/returns", access.MayRead, s.Returns).WithViews().Divided(), "/returns", reports.ExportReturns, returns.AcceptedOfReturns)
	if s.Desk != nil {
		list = append(list,
			route.Post("/returns/costs", access.MayEdit, s.Add),
			route.Post("/returns/costs/:id/end", access.MayEdit, s.End),
			route.Post("/returns/costs/:id/remove", access.MayEdit, s.Remove),
		)
	}
	return list
}
