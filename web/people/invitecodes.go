package people

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/people"
)

// CodeChoices apply to the page and to its files.
var CodeChoices = query.AcceptedParams{Sorts: invitecodes.Sorts, Order: handler.MostEarned, Columns: templates.CodeColumns()}

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
