package shipping

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page("/deliveries", access.MayRead, s.List),
		route.Private("/deliveries/new", access.MayAdminister, s.Form),
		route.Proven("/deliveries", access.MayAdminister, s.Save),
		route.Page("/deliveries/:id", access.MayRead, s.One),
		route.Private("/deliveries/:id/edit", access.MayAdminister, s.Edit),
		route.Proven("/deliveries/:id", access.MayAdminister, s.Save),
		route.Post("/deliveries/:id/run", access.MayEdit, s.Run),
		route.Post("/deliveries/:id/pause", access.MayEdit, s.Pause),
		route.Post("/deliveries/:id/resume", access.MayEdit, s.Resume),
		route.Post("/deliveries/:id/remove", access.MayAdminister, s.Remove),
	}
}
