package earnings

import (
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/navigation"
)

// CommissionChoices apply to the page and to its files.
var CommissionChoices = query.AcceptedParams{Sorts: commissions.Sorts, Order: handler.ByTime, By: figures.Splits(), Columns: templates.CommissionColumnNames()}

// CommissionRoutes are the addresses of the commissions, and the files of an invitee.
func (s *Area) CommissionRoutes() []route.Route {
	return slices.Concat(
		route.Page("/commissions", access.MayRead, s.Commissions).
			Help("Commissions", "Which trades earned what?", "commission", "fee", "rebate rate", "share of fees", "source", "sub-agent", "product", "volume").
			Try("Filter by a UID, a code or a pair, then export: the file holds exactly the rows that you see.").Listed(navigation.Earnings, "list", "commissions earned").Called("Records").WithViews().Divided().
			Report(s.Base, "/commissions", commissions.File, CommissionChoices),
		route.Files(s.Base, "/invitees/:uid", commissions.File, CommissionChoices, route.Divided),
	)
}

// Commissions is the table of commission records.
func (s *Area) Commissions(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, commissions.Make)
	if err != nil {
		return fmt.Errorf("commissions: %w", err)
	}
	view := templates.CommissionsView{
		Report: report,
		Links:  s.Links(c, q),
		Closed: s.Closed(c, q),
	}
	view.Links.Writes = s.Annotates(c)
	if view.Why, err = s.Why(c, q); err != nil {
		return err
	}
	return s.Render(c, templates.Commissions(page, view))
}
