package invitees

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/invitees"
	"rebatedesk/web/templates/navigation"
)

// CohortChoices apply to the page and to its files. A month of cohorts says little, so
// the default range of both is a year.
var CohortChoices = query.AcceptedParams{Usual: query.Last12M, By: cohorts.Periods(), Metrics: cohorts.Metrics()}

// CohortRoutes are the addresses of cohorts.
func (s *Area) CohortRoutes() []route.Route {
	return route.Page("/cohorts", access.MayRead, s.Cohorts).
		Help("Cohorts", "Do the people who registered in a month keep trading in the months after?", "cohort", "age", "final").
		Try("Compare two lines at the same age. Cells with a dashed edge are not over yet.").Listed(navigation.Invitees, "cohorts", "retention").WithViews().Divided().
		Report(s.Base, "/cohorts", cohorts.File, CohortChoices)
}

// Cohorts is the table of cohorts.
func (s *Area) Cohorts(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), cohorts.Make, invitees.Cohorts)
}
