package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/changes"
	"rebatedesk/web/templates/navigation"
)

// ChangeRoutes are the addresses of what became known between two instants.
func (s *Area) ChangeRoutes() []route.Route {
	return route.Page("/changes", access.MayRead, s.Changes).
		Help("Changes", "Which figures changed after I had seen them?", "noticed", "as of", "open row", "closed row").
		Try("Choose since when: late, corrected and removed records are listed, and their sum is the whole difference.").Listed(navigation.Earnings, "refresh", "restated late corrected").WithViews().Divided().
		Report(s.Base, "/changes", changes.File, changes.Accepted)
}

// Changes compares what was known at two instants, line by line.
func (s *Area) Changes(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, changes.Make)
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	return s.Render(c, templates.Changes(page, templates.ChangesView{Report: report, Links: s.Links(c, report.Query)}))
}
