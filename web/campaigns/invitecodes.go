package campaigns

import (
	"context"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
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
	return handler.Show(s.Base, c, s.Reports(c), codesWithLevels, func(p ui.Page, v campaigns.CodesView, l ui.Links) templ.Component {
		l.Writes = s.Annotates(c)
		v.Links = l
		return campaigns.Codes(p, v)
	})
}

// codesWithLevels makes the list of codes, and finds those of them whose level changed.
func codesWithLevels(ctx context.Context, q *snapshot.Snapshot) (v campaigns.CodesView, err error) {
	if v.Report, err = invitecodes.Make(ctx, q); err != nil {
		return v, err
	}
	v.Levels, err = levels.Make(ctx, q)
	return v, err
}
