package web

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates"
)

// overviewChoices hold for the page and for its files.
var overviewChoices = query.Choices{By: figures.Splits()}

// overview is the front page.
func (s *earningsArea) overview(c *fiber.Ctx) error {
	q, err := s.query(c, overviewChoices)
	if err != nil {
		return err
	}
	if q.Page > 1 {
		return &query.ParamError{Param: "page", Value: strconv.Itoa(q.Page), Problem: "there are 1 pages: nothing here is longer than a page"}
	}
	page := s.page(c, "Overview", "/") // before the figures: what is collected meanwhile is then announced
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.Overview(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("overview: %w", err)
	}
	return s.render(c, templates.Overview(page, templates.OverviewView{
		Report: report,
		Links:  templates.Links{NoFiles: !s.may(c, access.Export), Path: "/", Query: q, By: figures.ByProduct, Views: viewsOf(c)},
		Chart:  dailyChart(report.Daily),
		Users:  templates.Chart{ID: "users-chart", Label: charts.DescribeLines(report.Users), Data: charts.Lines(report.Users)},
	}))
}
