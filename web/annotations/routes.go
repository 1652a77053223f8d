package annotations

import (
	"rebatedesk/access"
	"rebatedesk/reports/annotated"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/annotations", access.MayRead, s.List).
			Help("Annotations", "What happened on which day, in our own words?", "noticed").Found("note", "notes days").Divided().Takes(annotated.Accepted),
	}
	if s.Writing {
		list = append(list,
			route.Private("/annotations/new", access.MayEdit, s.Form).
				Help("A new annotation", "What happened on a day? Charts show it as a thin line.").
				Begins("/annotations/new", "New annotation", "note", "add note day").Divided(),
			route.Private("/annotations/:id", access.MayEdit, s.Edit).
				Help("An annotation", "What happened on a day? Earlier versions stay known.").Divided(),
			route.Post("/annotations", access.MayEdit, s.Add).Divided(),
			route.Post("/annotations/:id", access.MayEdit, s.Change).Divided(),
			route.Post("/annotations/:id/remove", access.MayEdit, s.Remove).Divided(),
		)
	}
	return list
}
