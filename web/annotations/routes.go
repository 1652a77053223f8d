package annotations

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/annotations", access.MayRead, s.List).Divided(),
	}
	if s.Writing {
		list = append(list,
			route.Private("/annotations/new", access.MayEdit, s.Form).Divided(),
			route.Private("/annotations/:id", access.MayEdit, s.Edit).Divided(),
			route.Post("/annotations", access.MayEdit, s.Add).Divided(),
			route.Post("/annotations/:id", access.MayEdit, s.Change).Divided(),
			route.Post("/annotations/:id/remove", access.MayEdit, s.Remove).Divided(),
		)
	}
	return list
}
