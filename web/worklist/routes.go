package worklist

import (
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Report(s.Base, route.Page("/worklist", access.MayRead, s.Worklist).Divided(), "/worklist", reports.ExportWorklist, worklist.AcceptedOfWorklist)
	if s.Desk != nil {
		list = append(list,
			route.Post("/worklist/:uid", access.MayEdit, s.Work).Divided(),
			route.Post("/worklist/:uid/undo/:id", access.MayEdit, s.Undo).Divided(),
		)
	}
	return list
}
