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
)

// InviteeChoices apply to the list and to its files.
var InviteeChoices = query.AcceptedParams{Sorts: invitees.Sorts, Order: handler.MostEarned,
	States: invitees.StateChoices(), Tags: true, Columns: templates.InviteeColumns()}

// Invitees is the list of invitees.
func (s *Area) Invitees(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, invitees.MakeList)
	if err != nil {
		return fmt.Errorf("invitees: %w", err)
	}
	return s.Render(c, templates.Invitees(page, templates.InviteesView{
		Report: report, Saves: s.Desk != nil && s.May(c, access.MayEdit),
		Links: s.Links(c, q),
	}))
}
