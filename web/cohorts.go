package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// cohortChoices hold for the page and for its files. A month of cohorts says
// little, so both are about a year where no days are asked for.
var cohortChoices = query.Choices{Usual: query.Last12M, By: cohorts.CohortPeriods(), Metrics: cohorts.CohortMetrics()}

// cohorts is the table of cohorts.
func (s *peopleArea) cohorts(c *fiber.Ctx) error {
	q, err := s.query(c, cohortChoices)
	if err != nil {
		return err
	}
	page := s.page(c, "Cohorts", "/cohorts")
	page.Carry = templates.Carry(q)
	report, err := s.Reports.Cohorts(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("cohorts: %w", err)
	}
	return s.render(c, templates.Cohorts(page, templates.CohortsView{
		Report: report,
		Links: templates.Links{NoFiles: !s.may(c, access.Export), Path: "/cohorts", Query: q, Views: viewsOf(c),
			By: cohortChoices.By[0], Metric: cohortChoices.Metrics[0]},
	}))
}
