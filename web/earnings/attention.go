package earnings

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/earnings"
	"rebatedesk/web/templates/ui"
)

// AttentionRoutes are the addresses of the findings.
func (s *Area) AttentionRoutes() []route.Route {
	return []route.Route{route.Page("/attention", access.MayRead, s.Attention).
		Help("Needs attention", "What went wrong or changed, and what is it worth?", "silent", "outstanding", "revenue at risk", "coverage").
		Found("alert", "findings problems").Divided().Takes(query.AcceptedParams{Taken: reports.AttentionParams})}
}

// Attention lists the findings that need attention, for an account and an instant. The
// overview has those that were made before; it loads others after the page, because they take
// longer than a page may.
func (s *Area) Attention(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Page(c, "Needs attention", "/")
	report, err := s.Reports(c).Attention(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("attention: %w", err)
	}
	day, err := s.Reports(c).PeopleOfDay(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("people of the day: %w", err)
	}
	return s.Render(c, templates.AttentionPage(page, s.attentionView(c, report, day, q)))
}

func (s *Area) attentionView(c *fiber.Ctx, report findings.Report, day *worklist.Day, q query.Query) templates.AttentionView {
	return templates.AttentionView{Report: report, Day: day, Links: ui.Links{Some: s.IsBound(c), Path: "/attention", Query: q, Reported: s.Reported(c)}}
}
