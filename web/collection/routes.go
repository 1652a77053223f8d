package collection

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/collection", access.MayRead, s.Collection),
		route.Page("/collection/progress", access.MayRead, s.Progress),
		route.Page("/collection/restatements", access.MayRead, s.Restatements).WithViews(),
		route.Page("/collection/runs/:id", access.MayRead, s.RunOne),
		route.Private("/collection/slices/:id/answers.zip", access.MayEdit, s.AnswersOfSlice),
	}
	if s.Collect != nil {
		list = append(list,
			route.Post("/collection/collect", access.MayEdit, s.CollectNow),
		)
	}
	return list
}
