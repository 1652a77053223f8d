package people

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/people"
	"rebatedesk/web/templates/ui"
)

// InviteeChoices apply to the list and to its files.
var InviteeChoices = query.AcceptedParams{Sorts: invitees.Sorts, Order: handler.MostEarned,
	States: invitees.StateChoices(), Tags: true, Columns: templates.InviteeColumns()}

// Invitees is the list of invitees.
func (s *Area) Invitees(c *fiber.Ctx) error {
	q, err := s.Query(c, InviteeChoices)
	if err != nil {
		return err
	}
	page := s.Page(c, "Invitees", "/invitees")
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, invitees.MakeList)
	if err != nil {
		return fmt.Errorf("invitees: %w", err)
	}
	return s.Render(c, templates.Invitees(page, templates.InviteesView{
		Report: report, Saves: s.Desk != nil && s.May(c, access.MayEdit),
		Links: ui.Links{NoFiles: !s.May(c, access.MayExport), Path: "/invitees", Query: q, Order: handler.MostEarned, Views: handler.ViewsOf(c), Reported: s.Reported(c)},
	}))
}
