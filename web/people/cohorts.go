package people

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/people"
	"rebatedesk/web/templates/ui"
)

// CohortChoices apply to the page and to its files. A month of cohorts says little, so
// the default range of both is a year.
var CohortChoices = query.AcceptedParams{Usual: query.Last12M, By: cohorts.Periods(), Metrics: cohorts.Metrics()}

// Cohorts is the table of cohorts.
func (s *Area) Cohorts(c *fiber.Ctx) error {
	q, err := s.Query(c, CohortChoices)
	if err != nil {
		return err
	}
	page := s.Page(c, "Cohorts", "/cohorts")
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, cohorts.Make)
	if err != nil {
		return fmt.Errorf("cohorts: %w", err)
	}
	return s.Render(c, templates.Cohorts(page, templates.CohortsView{
		Report: report,
		Links: ui.Links{NoFiles: !s.May(c, access.MayExport), Path: "/cohorts", Query: q, Views: handler.ViewsOf(c), Reported: s.Reported(c),
			By: CohortChoices.By[0], Metric: CohortChoices.Metrics[0]},
	}))
}
