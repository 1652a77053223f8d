package campaigns

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/campaigns"
	"rebatedesk/web/templates/navigation"
)

// CodeChoices apply to the page and to its files.
var CodeChoices = query.AcceptedParams{Sorts: invitecodes.Sorts, Order: handler.MostEarned, Columns: templates.CodeColumns()}

// CodeRoutes are the addresses of invite codes.
func (s *Area) CodeRoutes() []route.Route {
	return route.Page("/codes", access.MayRead, s.Codes).
		Help("Invite codes", "Which of my links bring people who trade?", "invite code", "value per registration").
		Try("Sort by value per registration to compare campaigns of different size.").Listed(navigation.People, "ticket", "referral links").WithViews().Divided().
		Report(s.Base, "/codes", invitecodes.File, CodeChoices)
}

// Codes is the list of invite codes.
func (s *Area) Codes(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, invitecodes.Make)
	if err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	links := s.Links(c, q)
	links.Writes = s.Annotates(c)
	return s.Render(c, templates.Codes(page, templates.CodesView{Report: report, Links: links}))
}
