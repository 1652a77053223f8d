package earnings

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/programmes"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/ui"
)

// Programmes shows the accounts side by side.
func (s *Area) Programmes(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), programmes.Make, func(p ui.Page, l ui.Links, r programmes.Report) templ.Component {
		return templates.Programmes(p, templates.ProgrammesView{Report: r, Links: l})
	})
}
