package people

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/query"
	templates "rebatedesk/web/templates/people"
)

// CohortChoices apply to the page and to its files. A month of cohorts says little, so
// the default range of both is a year.
var CohortChoices = query.AcceptedParams{Usual: query.Last12M, By: cohorts.Periods(), Metrics: cohorts.Metrics()}

// Cohorts is the table of cohorts.
func (s *Area) Cohorts(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, cohorts.Make)
	if err != nil {
		return fmt.Errorf("cohorts: %w", err)
	}
	return s.Render(c, templates.Cohorts(page, templates.CohortsView{
		Report: report,
		Links:  s.Links(c, q),
	}))
}
