package views

import (
	"rebatedesk/access"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	if s.Desk == nil {
		return nil
	}
	return []route.Route{
		route.Page("/views", access.MayRead, s.ViewList).
			Help("Saved views", "Which pages, with their range and filters, do I open often?").Found("star", "").Open().Takes(query.AcceptedParams{Taken: []string{"range", "from", "to", "compare", "account"}}),
		route.Post("/views", access.MayEdit, s.SaveView).Open(),
		route.Post("/views/:id/name", access.MayEdit, s.RenameView).Open(),
		route.Post("/views/:id/default", access.MayEdit, s.SetDefaultView).Open(),
		route.Post("/views/:id/delete", access.MayEdit, s.DeleteView).Open(),
	}
}
