package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/programmes"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/ui"
)

// Programmes shows the accounts side by side.
func (s *Area) Programmes(c *fiber.Ctx) error {
	q, err := s.Query(c, programmes.Accepted)
	if err != nil {
		return err
	}
	page := s.Page(c, "Programmes side by side", templates.ProgrammesPath)
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, programmes.Make)
	if err != nil {
		return fmt.Errorf("programmes: %w", err)
	}
	return s.Render(c, templates.Programmes(page, templates.ProgrammesView{Report: report, Links: ui.Links{
		NoFiles: !s.May(c, access.MayExport), Path: templates.ProgrammesPath, Query: q, Views: handler.ViewsOf(c), Reported: s.Reported(c),
	}}))
}
