package earnings

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/programmes"
	"rebatedesk/web/handler"
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
	return handler.Show(s.Base, c, s.Reports(c), programmes.Make, templates.Programmes)
}
