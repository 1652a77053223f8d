package segments

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/segments", access.MayRead, s.Segments).Divided(),
	}
	if s.Desk != nil {
		list = append(list,
			route.Private("/segments/new", access.MayEdit, s.NewSegment).Divided(),
			route.Post("/segments", access.MayEdit, s.SaveSegment).Divided(),
			route.Private("/segments/:id", access.MayEdit, s.EditSegment).Divided(),
			route.Post("/segments/:id", access.MayEdit, s.SaveSegment).Divided(),
			route.Post("/segments/:id/freeze", access.MayEdit, s.Freeze).Divided(),
			route.Post("/segments/:id/thaw", access.MayEdit, s.Thaw).Divided(),
			route.Post("/segments/:id/remove", access.MayEdit, s.Remove).Divided(),
		)
	}
	return list
}
