package returns

import (
	"rebatedesk/access"
	"rebatedesk/reports/returns"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := route.Page("/returns", access.MayRead, s.Returns).
		Help("Cost and return", "Did my campaigns bring back what they cost?", "invite code", "segment", "valuation").
		Try("Enter what a code or a tag cost. The page then shows the day on which it had paid for itself.").Listed(navigation.People, "coins", "campaign payback roi").WithViews().Divided().
		Report(s.Base, "/returns", returns.File, returns.Accepted)
	if s.Desk != nil {
		list = append(list,
			route.Post("/returns/costs", access.MayEdit, s.Add),
			route.Post("/returns/costs/:id/end", access.MayEdit, s.End),
			route.Post("/returns/costs/:id/remove", access.MayEdit, s.Remove),
			route.Post("/returns/costs/:id/restore", access.MayEdit, s.Restore),
		)
	}
	return list
}
