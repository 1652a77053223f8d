package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/programmes"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/earnings"
)

// ProgrammeRoutes are the addresses of the programmes side by side.
func (s *Area) ProgrammeRoutes() []route.Route {
	return route.Page("/programmes", access.MayRead, s.Programmes).
		Help("Programmes side by side", "Which of my accounts earns how much?", "account", "commission", "coverage").Found("columns", "accounts").WithViews().Divided().
		Report(s.Base, "/programmes", programmes.File, programmes.Accepted)
}

// Programmes shows the accounts side by side.
func (s *Area) Programmes(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, programmes.Make)
	if err != nil {
		return fmt.Errorf("programmes: %w", err)
	}
	return s.Render(c, templates.Programmes(page, templates.ProgrammesView{Report: report, Links: s.Links(c, q)}))
}
