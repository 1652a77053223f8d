package earnings

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/navigation"
)

// OverviewChoices apply to the files of the page.
var OverviewChoices = query.AcceptedParams{By: figures.Splits(), Metrics: figures.ChartMetrics()}

// OverviewRoutes are the addresses of the overview.
func (s *Area) OverviewRoutes() []route.Route {
	return route.Page("/", access.MayRead, s.Overview).
		Help("Home", "What did I earn, how does it compare, and what needs my attention?", "commission", "share of fees", "overdue", "not due yet", "paid too much", "range", "complete", "forecast").
		Try("Choose a range at the top: everything on the page follows it. Press a figure, such as fees, to see it in the chart.").Listed(navigation.Home, "overview", "overview dashboard start").WithViews().Divided().Takes(overview.Accepted).
		Report(s.Base, "/overview", commissions.DailyFile, OverviewChoices)
}

// Overview is the front page.
func (s *Area) Overview(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	if q.Page > 1 {
		return &query.ParamError{Param: "page", Value: strconv.Itoa(q.Page), Problem: "there are 1 pages: nothing here is longer than a page"}
	}
	page := s.Frame(c, q) // before the figures, so that later collections are announced
	report, err := reports.FrontPage(c.UserContext(), s.Reports(c), q)
	if err != nil {
		return fmt.Errorf("overview: %w", err)
	}
	needs, about, err := reports.ReadKeptAttention(c.UserContext(), s.Reports(c), q)
	if err != nil {
		return fmt.Errorf("findings of the overview: %w", err)
	}
	v := templates.OverviewView{
		Report: report, Needs: needs,
		Links:  s.Links(c, q),
		Closed: s.Closed(c, q),
	}
	v.Links.Writes = s.Annotates(c)
	if report.Empty == "" {
		v.Links.SameHours = report.SameHours
	}
	if needs.Report != nil {
		v.Found = s.attentionView(c, *needs.Report, needs.Day, about)
	}
	return s.Render(c, templates.Overview(page, v))
}
