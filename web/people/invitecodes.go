package people

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/people"
	"rebatedesk/web/templates/ui"
)

// CodeChoices apply to the page and to its files.
var CodeChoices = query.AcceptedParams{Sorts: invitecodes.Sorts, Order: handler.MostEarned, Columns: templates.CodeColumns()}

// Codes is the list of invite codes.
func (s *Area) Codes(c *fiber.Ctx) error {
	q, err := s.Query(c, CodeChoices)
	if err != nil {
		return err
	}
	page := s.Page(c, "Invite codes", "/codes")
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, invitecodes.Make)
	if err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	return s.Render(c, templates.Codes(page, templates.CodesView{
		Report: report,
		Links:  ui.Links{NoFiles: !s.May(c, access.MayExport), Writes: s.Annotates(c), Path: "/codes", Query: q, Order: handler.MostEarned, Views: handler.ViewsOf(c), Reported: s.Reported(c), Large: handler.IsUnfolded(c, "codes")},
	}))
}
