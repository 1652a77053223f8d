package deliveries

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/deliveries", access.MayRead, s.List).
			Help("Files", "Which files go to which folder or storage, and did they arrive?", "delivery", "file", "export").
			Try("Open a delivery to see each file with its state and its checksum.").
			Listed(navigation.Reports, "send", "deliveries scheduled export s3 sftp folder parquet"),
		route.Private("/deliveries/new", access.MayAdminister, s.Form).
			Help("A new delivery", "Which file should go where, and when?", "delivery", "export"),
		route.Proven("/deliveries", access.MayAdminister, s.Save),
		route.Page("/deliveries/:id", access.MayRead, s.One).
			Help("A delivery of files", "Which files did this delivery make, and did they arrive?", "delivery", "file"),
		route.Private("/deliveries/:id/edit", access.MayAdminister, s.Edit).
			Help("Change a delivery", "Which file goes where, and when?", "delivery", "export"),
		route.Proven("/deliveries/:id", access.MayAdminister, s.Save),
		route.Post("/deliveries/:id/run", access.MayEdit, s.Run),
		route.Post("/deliveries/:id/pause", access.MayEdit, s.Pause),
		route.Post("/deliveries/:id/resume", access.MayEdit, s.Resume),
		route.Post("/deliveries/:id/remove", access.MayAdminister, s.Remove),
	}
	if s.Deliveries == nil {
		list = route.Absent(list)
	}
	return list
}
