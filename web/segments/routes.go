package segments

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/segments", access.MayRead, s.Segments).
			Help("Segments", "Which groups of invitees do I look at again and again?", "segment", "state").
			Try("Save a group once, such as large traders who became silent, and use it as a filter on other pages.").Listed(navigation.People, "filter", "filter groups").Divided().Takes(accepted),
	}
	if s.Desk != nil {
		list = append(list,
			route.Private("/segments/new", access.MayEdit, s.NewSegment).
				Help("A new segment", "Which conditions should members of the group fulfil?", "segment", "state", "status").Begins("/segments/new", "New segment", "filter", "add").Divided(),
			route.Post("/segments", access.MayEdit, s.SaveSegment).Divided(),
			route.Private("/segments/:id", access.MayEdit, s.EditSegment).
				Help("A segment", "Which conditions do members of this group fulfil, and who are they now?", "segment", "state", "status").Divided(),
			route.Post("/segments/:id", access.MayEdit, s.SaveSegment).Divided(),
			route.Post("/segments/:id/freeze", access.MayEdit, s.Freeze).Divided(),
			route.Post("/segments/:id/thaw", access.MayEdit, s.Thaw).Divided(),
			route.Post("/segments/:id/remove", access.MayEdit, s.Remove).Divided(),
		)
	}
	return list
}
