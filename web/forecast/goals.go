package forecast

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	stored "rebatedesk/store/goals"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/forecast"
)

// goalsDone are the changes that the page can confirm after a redirect.
var goalsDone = map[string]string{
	"added":    "The goal is added.",
	"changed":  "The goal is changed.",
	"removed":  "The goal is removed.",
	"copied":   "The goals of the month before are copied.",
	"restored": "The goal is restored.",
}

// goals returns the section with the goals of the month of a forecast. It is empty if the range
// is no month, and for a caller who sees some invitees only.
func (s *Area) goals(c *fiber.Ctx, r forecast.Report) (view templates.GoalsView, err error) {
	if s.IsBound(c) || r.Days != forecast.MonthOf(r.Days.First) { // goals are those of the whole programme
		return view, nil
	}
	q := r.Query
	q.Range, q.Month, q.Days = query.Custom, "", r.Days
	if view.Report, err = reports.Ask(c.UserContext(), s.Reports(c), q, goals.Make); err != nil {
		return view, fmt.Errorf("goals: %w", err)
	}
	if s.Desk != nil && !q.Past() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
	}
	view.Form = templates.NewGoalForm(string(q.Coin))
	return view, nil
}

// monthIn returns the month that a form is about.
func monthIn(fields url.Values) (affiliate.Day, error) {
	first, err := affiliate.ParseDay(fields.Get("month") + "-01")
	if err != nil || first < query.Earliest || first > query.Latest {
		return 0, handler.NewProblem(fiber.StatusBadRequest, "The form names no month, such as 2026-11: open the page again.")
	}
	return first, nil
}

// AddGoal adds a goal to a month.
func (s *Area) AddGoal(c *fiber.Ctx) error {
	return s.actOnGoals(c, "added", func(f *handler.Sent, month affiliate.Day) error {
		goal := stored.Goal{Amount: affiliate.Number(f.Text("amount")), Key: stored.Key{
			Month: month, Account: affiliate.Account(f.Text("account")), Coin: affiliate.Coin(f.Text("coin")), Code: f.Text("code"), Tag: f.Text("tag"), Segment: f.Text("segment"),
		}}
		_, err := s.Desk.AddGoal(c.UserContext(), goal, f.By)
		return err
	}, func(v *templates.GoalsView, f *handler.Sent) { v.Form = f.Form })
}

// ChangeGoal gives a goal another amount.
func (s *Area) ChangeGoal(c *fiber.Ctx) error {
	return s.actOnGoals(c, "changed", func(f *handler.Sent, _ affiliate.Day) error {
		return s.Desk.ChangeGoal(c.UserContext(), f.ID, affiliate.Number(f.Text("amount")), f.By)
	}, func(v *templates.GoalsView, f *handler.Sent) { v.Of, v.Change = f.ID, f.Form })
}

// RemoveGoal removes a goal.
func (s *Area) RemoveGoal(c *fiber.Ctx) error {
	return s.actOnGoals(c, "removed", func(f *handler.Sent, _ affiliate.Day) error {
		return stored.Table.Remove(c.UserContext(), s.Desk.Store(), f.ID, f.By)
	}, nil)
}

// RestoreGoal adds a removed goal again.
func (s *Area) RestoreGoal(c *fiber.Ctx) error {
	return s.actOnGoals(c, "restored", func(f *handler.Sent, _ affiliate.Day) error {
		return s.Desk.RestoreGoal(c.UserContext(), f.ID, f.By)
	}, nil)
}

// CopyGoals copies the goals of the month before.
func (s *Area) CopyGoals(c *fiber.Ctx) error {
	return s.actOnGoals(c, "copied", func(f *handler.Sent, month affiliate.Day) error {
		_, err := s.Desk.CopyGoals(c.UserContext(), month, f.By)
		return err
	}, func(v *templates.GoalsView, f *handler.Sent) { v.Form.Alert, v.Form.Faults = f.Alert, f.Faults })
}

// actOnGoals answers a form about the goals of a month. refused puts it into the page of the month.
func (s *Area) actOnGoals(c *fiber.Ctx, done string, do func(*handler.Sent, affiliate.Day) error, refused func(*templates.GoalsView, *handler.Sent)) error {
	month, err := monthIn(s.Form(c))
	if err != nil {
		return err
	}
	of := url.Values{"month": {month.Format("2006-01")}}
	var again func(*handler.Sent) error
	if refused != nil {
		again = func(f *handler.Sent) error {
			q, err := s.parsed(c, of)
			if err != nil {
				return err
			}
			return s.show(c, q, func(v *templates.GoalsView) { refused(v, f) })
		}
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		to := url.Values{"month": of["month"], "done": {done}}
		if done == "removed" {
			to.Set("undo", strconv.FormatInt(f.ID, 10))
		}
		return templates.ForecastPath + "?" + to.Encode() + "#goals", do(f, month)
	}, again)
}

// atRisk are the parameters of the revenue at risk.
var atRisk = query.AcceptedParams{Taken: []string{"account", "coin", "segment", "as_of"}, Usual: query.MonthTo}

// AtRisk says what silent and slowing invitees used to bring. The page of the forecast loads it
// separately: it depends on all invitees, whatever range the page shows.
func (s *Area) AtRisk(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, losses.Make)
	if err != nil {
		return fmt.Errorf("revenue at risk: %w", err)
	}
	all, err := reports.Ask(c.UserContext(), s.Reports(c), report.Query, worklist.MakeTally)
	if err != nil {
		return fmt.Errorf("what is at risk: %w", err)
	}
	return s.Render(c, templates.LossesPage(s.Page(c, "Revenue at risk", templates.ForecastPath), templates.LossesView{Report: report, AtRisk: all.Risk}))
}
