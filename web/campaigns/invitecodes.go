package campaigns

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/campaigns"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// CodeChoices apply to the page and to its files.
var CodeChoices = query.AcceptedParams{Sorts: invitecodes.Sorts, Order: handler.MostEarned, Columns: campaigns.CodeColumns()}

// CodeRoutes are the addresses of invite codes.
func (s *Area) CodeRoutes() []route.Route {
	return route.Page("/codes", access.MayRead, s.Codes).
		Help("Invite codes", "Which of my links bring people who trade?", "invite code", "value per registration").
		Try("Sort by value per registration to compare campaigns of different size.").Listed(navigation.Campaigns, "ticket", "invite referral links").Called("Codes").WithViews().Divided().
		Report(s.Base, "/codes", invitecodes.File, CodeChoices)
}

// Codes is the list of invite codes.
func (s *Area) Codes(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), invitecodes.Make, func(p ui.Page, r invitecodes.Report, l ui.Links) templ.Component {
		l.Writes = s.Annotates(c)
		return campaigns.Codes(p, campaigns.CodesView{Report: r, Links: l})
	})
}
