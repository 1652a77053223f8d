package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// inviteeChoices hold for the list and for its files.
var inviteeChoices = query.Choices{Sorts: invitees.InviteeSorts, Order: mostEarned,
	States: invitees.InviteeChoices(), Tags: true, Columns: templates.InviteeChoices()}

// invitees is the list of invitees.
func (s *peopleArea) invitees(c *fiber.Ctx) error {
	q, err := s.query(c, inviteeChoices)
	if err != nil {
		return err
	}
	page := s.page(c, "Invitees", "/invitees")
	page.Carry = templates.Carry(q)
	report, err := s.Reports.Invitees(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("invitees: %w", err)
	}
	return s.render(c, templates.Invitees(page, templates.InviteesView{
		Report: report,
		Links:  templates.Links{NoFiles: !s.may(c, access.Export), Path: "/invitees", Query: q, Order: mostEarned, Views: viewsOf(c)},
	}))
}
