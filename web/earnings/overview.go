package earnings

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	templates "rebatedesk/web/templates/earnings"
)

// OverviewChoices apply to the files of the page.
var OverviewChoices = query.AcceptedParams{By: figures.Splits(), Metrics: figures.ChartMetrics()}

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
		v.Found = s.attentionView(c, *needs.Report, about)
	}
	return s.Render(c, templates.Overview(page, v))
}
