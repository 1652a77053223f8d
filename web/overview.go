package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates"
)

// overview is the front page.
func (s *Server) overview(c *fiber.Ctx) error {
	q, err := s.query(c, nil, reports.Sort{})
	if err != nil {
		return err
	}
	page := s.page("Overview", "/") // before the figures: what is collected meanwhile is then announced
	page.Charts, page.Carry = true, templates.Carry(q)
	report, err := s.Reports.Overview(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("overview: %w", err)
	}
	return s.render(c, templates.Overview(page, templates.OverviewView{
		Report: report,
		Links:  templates.Links{Path: "/", Query: q},
		Chart:  dailyChart(report.Daily),
	}))
}

func dailyChart(d reports.DailySeries) templates.Chart {
	return templates.Chart{ID: "daily-chart", Label: charts.Describe(d), Data: charts.Daily(d)}
}
