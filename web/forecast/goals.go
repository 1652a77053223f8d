package forecast

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	stored "rebatedesk/store/goals"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/forecast"
	"rebatedesk/web/templates/ui"
)

// goalsDone are the changes that the page can confirm after a redirect.
var goalsDone = map[string]string{
	"added":   "The goal is added.",
	"changed": "The goal is changed.",
	"removed": "The goal is removed.",
	"copied":  "The goals of the month before are copied.",
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

// showMonth answers with the page of a month on which a form was refused.
func (s *Area) showMonth(c *fiber.Ctx, month affiliate.Day, change func(*templates.GoalsView)) error {
	q, err := s.parsed(c, url.Values{"month": {month.Format("2006-01")}})
	if err != nil {
		return err
	}
	return s.show(c, q, change)
}

// AddGoal adds a goal to a month.
func (s *Area) AddGoal(c *fiber.Ctx) error {
	fields := s.Form(c)
	month, err := monthIn(fields)
	if err != nil {
		return err
	}
	form := ui.Form{Values: map[string]string{}}
	for _, name := range templates.GoalFormFields {
		form.Values[name] = strings.TrimSpace(fields.Get(name))
	}
	goal := stored.Goal{Amount: affiliate.Number(form.Values["amount"]), Key: stored.Key{
		Month: month, Account: affiliate.Account(form.Values["account"]), Coin: affiliate.Coin(form.Values["coin"]), Code: form.Values["code"], Tag: form.Values["tag"], Segment: form.Values["segment"],
	}}
	if _, err := s.Desk.AddGoal(c.UserContext(), goal, s.By(c)); err == nil {
		return backToGoals(c, month, "added")
	} else if !refused(&form, err) {
		return fmt.Errorf("add a goal: %w", err)
	}
	c.Status(form.Status())
	return s.showMonth(c, month, func(v *templates.GoalsView) { v.Form = form })
}

// ChangeGoal gives a goal another amount.
func (s *Area) ChangeGoal(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	fields := s.Form(c)
	month, err := monthIn(fields)
	if err != nil {
		return err
	}
	form := handler.FormOf("amount", strings.TrimSpace(fields.Get("amount")))
	if err := s.Desk.ChangeGoal(c.UserContext(), id, affiliate.Number(form.Values["amount"]), s.By(c)); err == nil {
		return backToGoals(c, month, "changed")
	} else if !refused(&form, err) {
		return gone(fmt.Errorf("change a goal: %w", err))
	}
	c.Status(form.Status())
	return s.showMonth(c, month, func(v *templates.GoalsView) { v.Of, v.Change = id, form })
}

// RemoveGoal removes a goal.
func (s *Area) RemoveGoal(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	month, err := monthIn(s.Form(c))
	if err != nil {
		return err
	}
	if err := s.Desk.RemoveGoal(c.UserContext(), id, s.By(c)); err != nil {
		return gone(fmt.Errorf("remove a goal: %w", err))
	}
	return backToGoals(c, month, "removed")
}

// CopyGoals copies the goals of the month before.
func (s *Area) CopyGoals(c *fiber.Ctx) error {
	month, err := monthIn(s.Form(c))
	if err != nil {
		return err
	}
	var form ui.Form
	if _, err := s.Desk.CopyGoals(c.UserContext(), month, s.By(c)); err == nil {
		return backToGoals(c, month, "copied")
	} else if !refused(&form, err) {
		return fmt.Errorf("copy goals: %w", err)
	}
	c.Status(form.Status())
	return s.showMonth(c, month, func(v *templates.GoalsView) { v.Form.Alert, v.Form.Faults = form.Alert, form.Faults })
}

// backToGoals leads to the goals of a month after a change.
func backToGoals(c *fiber.Ctx, month affiliate.Day, done string) error {
	values := url.Values{"month": {month.Format("2006-01")}, "done": {done}}
	return c.Redirect(templates.ForecastPath+"?"+values.Encode()+"#goals", fiber.StatusSeeOther)
}

// refused notes in a form that its entries break a rule, at the field of that rule. It leaves
// other errors alone.
func refused(form *ui.Form, err error) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || rule.Missing && rule.Field == "":
		return false
	case rule.Field == "":
		form.Alert = phrase.Sentence(rule.Problem)
	default:
		form.Fault(rule.Field, rule.Problem)
	}
	return true
}

// gone makes an error about a goal that is not there any more an answer for the reader.
func gone(err error) error {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
		return handler.NewProblem(fiber.StatusConflict, rule.Problem)
	}
	return err
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
