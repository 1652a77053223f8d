package earnings

import (
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/changes"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/changes"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// ChangeRoutes are the addresses of what became known between two instants.
func (s *Area) ChangeRoutes() []route.Route {
	return route.Page("/changes", access.MayRead, s.Changes).
		Help("Changed later", "Which figures changed after I had seen them?", "noticed", "as of", "open row", "closed row").
		Try("Choose since when: late, corrected and removed records are listed, and their sum is the whole difference.").Listed(navigation.Payments, "refresh", "changes restated late corrected since").WithViews().Divided().
		Report(s.Base, "/changes", changes.File, changes.Accepted)
}

// Changes compares what was known at two instants, line by line.
func (s *Area) Changes(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), changes.Make, func(p ui.Page, r changes.Report, l ui.Links) templ.Component {
		l.Query = r.Query
		return templates.Changes(p, templates.ChangesView{Report: r, Links: l})
	})
}
