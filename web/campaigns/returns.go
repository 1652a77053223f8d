package campaigns

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/returns"
	"rebatedesk/store/costs"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/campaigns"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"added":    "The cost is added.",
	"ended":    "The cost is ended.",
	"removed":  "The cost is removed.",
	"restored": "The cost is restored.",
}

// ReturnRoutes are the addresses of costs and what they brought back.
func (s *Area) ReturnRoutes() []route.Route {
	list := route.Page("/returns", access.MayRead, s.Returns).
		Help("Cost and return", "Did my campaigns bring back what they cost?", "invite code", "segment", "valuation").
		Try("Enter what a code or a tag cost. The page then shows the day on which it had paid for itself.").Listed(navigation.Campaigns, "coins", "cost payback roi profit").Called("Return").WithViews().Divided().
		Report(s.Base, "/returns", returns.File, returns.Accepted)
	if s.Desk != nil {
		list = append(list,
			route.Post("/returns/costs", access.MayEdit, s.Add),
			route.Post("/returns/costs/:id/end", access.MayEdit, s.End),
			route.Post("/returns/costs/:id/remove", access.MayEdit, s.Remove),
			route.Post("/returns/costs/:id/restore", access.MayEdit, s.Restore),
		)
	}
	return list
}

// Returns says what costs brought back.
func (s *Area) Returns(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	said, undo := handler.Confirmed(values, done)
	return s.show(c, values, templates.ReturnsView{Done: said, Undo: undo})
}

// show answers with the page of a query.
func (s *Area) show(c *fiber.Ctx, values url.Values, view templates.ReturnsView) error {
	q, err := s.QueryOf(c, values, returns.Accepted)
	if err != nil {
		return err
	}
	page := s.Page(c, "Cost and return", ui.ReturnsPath)
	page.Carry = ui.Carry(q)
	if view.Report, err = reports.Ask(c.UserContext(), s.Reports(c), q, returns.Make); err != nil {
		return fmt.Errorf("returns: %w", err)
	}
	view.Today = q.Today
	view.Links = ui.Links{NoFiles: !s.May(c, access.MayExport), Path: ui.ReturnsPath, Query: q, Views: handler.ViewsOf(c), Reported: s.Reported(c), Accepts: returns.Accepted, Large: handler.IsUnfolded(c, "returns")}
	if s.Desk != nil && !q.Past() && s.May(c, access.MayEdit) && s.Who(c).Bound.Everything() {
		view.Token, view.People = s.Token(c), "/people/import"
		if view.Form.Values == nil {
			view.Form = handler.FormOf("coin", "USDT", "from", q.Today.String(), "scope", string(costs.OfCode), "value", q.Code)
			if q.Tag != "" {
				view.Form.Values["scope"], view.Form.Values["value"] = string(costs.OfTag), q.Tag
			} else if q.Segment != "" {
				view.Form.Values["scope"], view.Form.Values["value"] = string(costs.OfSegment), q.Segment
			}
		}
	}
	return s.Render(c, templates.Returns(page, view))
}

// Add stores a new cost.
func (s *Area) Add(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		for _, name := range templates.CostFields {
			f.Text(name)
		}
		v := f.Values
		cost := costs.Cost{Scope: costs.Scope(v["scope"]), Value: v["value"], Kind: costs.Kind(v["kind"]), Amount: affiliate.Number(v["amount"]), Coin: affiliate.Coin(v["coin"]), Note: v["note"]}
		cost.First = f.Day("from", noDay)
		if v["to"] != "" {
			cost.Last = f.Day("to", noDay)
		}
		if f.Wrong() {
			return "", nil
		}
		_, err := s.Desk.AddCost(c.UserContext(), cost, f.By)
		return handler.BackWith(c, ui.ReturnsPath, "added", 0), err
	}, func(f *handler.Sent) error { return s.again(c, templates.ReturnsView{Form: f.Form}) })
}

// End sets the last day of a cost.
func (s *Area) End(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		last := f.Day("to", noDay)
		if f.Wrong() {
			return "", nil
		}
		return handler.BackWith(c, ui.ReturnsPath, "ended", 0), s.Desk.EndCost(c.UserContext(), f.ID, last, f.By)
	}, func(f *handler.Sent) error { return s.again(c, templates.ReturnsView{Form: f.Form, Ended: f.ID}) })
}

// Remove removes a cost.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.BackWith(c, ui.ReturnsPath, "removed", f.ID), s.Desk.RemoveCost(c.UserContext(), f.ID, f.By)
	}, nil)
}

// Restore adds a removed cost again.
func (s *Area) Restore(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.BackWith(c, ui.ReturnsPath, "restored", 0), s.Desk.RestoreCost(c.UserContext(), f.ID, f.By)
	}, nil)
}

const noDay = "Give a day such as 2026-11-03."

// again answers with the page from which a form came, and what is wrong with the form.
func (s *Area) again(c *fiber.Ctx, view templates.ReturnsView) error {
	return s.show(c, handler.CameWith(c, ui.ReturnsPath), view)
}
