package forecast

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/forecast"
	"rebatedesk/web/templates/ui"
)

// Forecast says where a month, a quarter or another range will end.
func (s *Area) Forecast(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	done, undo := handler.Confirmed(values, goalsDone)
	q, err := s.parsed(c, values)
	if err != nil {
		return err
	}
	return s.show(c, q, func(v *templates.GoalsView) { v.Done, v.Undo = done, undo })
}

// parsed reads the query of a forecast.
func (s *Area) parsed(c *fiber.Ctx, values url.Values) (query.Query, error) {
	return s.QueryOf(c, values, forecast.Accepted)
}

// show answers with the page. change adds to the section of goals what a form did.
func (s *Area) show(c *fiber.Ctx, q query.Query, change func(*templates.GoalsView)) error {
	page := s.Page(c, "Forecast", templates.ForecastPath)
	page.Carry = ui.Carry(q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, forecast.Make)
	if err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	var changes levels.Changes
	if q.Product == "" && q.Coin == "" && q.Source == "" { // levels are of everything
		if changes, err = reports.Ask(c.UserContext(), s.Reports(c), q, levels.Make); err != nil {
			return fmt.Errorf("changed levels: %w", err)
		}
	}
	goals, err := s.goals(c, report)
	if err != nil {
		return err
	}
	change(&goals)
	return s.Render(c, templates.Forecast(page, templates.ForecastView{
		Report: report, Levels: changes, Goals: goals, Links: ui.Links{NoFiles: true, Path: templates.ForecastPath, Query: q, Accepts: forecast.Accepted, Reported: s.Reported(c), Large: handler.IsUnfolded(c, "forecast")},
	}))
}

// answer is the forecast for programs. Amounts are text.
type answer struct {
	Coin         affiliate.Coin   `json:"coin"`
	Month        string           `json:"month"` // empty: another range
	Earned       decimal.Decimal  `json:"earned"`
	Expected     decimal.Decimal  `json:"expected"`
	Low          *decimal.Decimal `json:"low"` // nil: there is no range, for Reason
	High         *decimal.Decimal `json:"high"`
	Level        string           `json:"level"`
	TestedMonths int              `json:"tested_months"`
	Hits         int              `json:"hits"`
	Break        *change          `json:"break"`  // nil: the level did not change lately
	Reason       string           `json:"reason"` // why there is no range; empty: there is one

	State     forecast.State `json:"state"`
	From      string         `json:"from"`
	To        string         `json:"to"`
	AsOf      string         `json:"as_of"`     // empty: now
	Converted *worth         `json:"converted"` // nil: there is one coin only, or no price
}

// change is where the level of the programme changed.
type change struct {
	Since  string          `json:"since"`
	Before decimal.Decimal `json:"before"` // what a day brought on average
	After  decimal.Decimal `json:"after"`
}

// rangeOf returns the range of an estimate; nil: it has none.
func rangeOf(e estimate.Estimate) (low, high *decimal.Decimal) {
	if e.Ranged() {
		low, high = &e.Low, &e.High
	}
	return low, high
}

// worth is the forecast of all coins, converted.
type worth struct {
	Coin     affiliate.Coin   `json:"coin"`
	Earned   decimal.Decimal  `json:"earned"`
	Expected decimal.Decimal  `json:"expected"`
	Low      *decimal.Decimal `json:"low"`
	High     *decimal.Decimal `json:"high"`
	LeftOut  []affiliate.Coin `json:"left_out"` // coins without a price
}

// JSON answers with the forecast of one coin.
func (s *Area) JSON(c *fiber.Ctx) error {
	q, err := s.QueryWith(c, forecast.Accepted)
	if err != nil {
		return err
	}
	if len(affiliate.Choices(q.Coin)) > 1 {
		return &query.ParamError{Param: "coin", Value: string(q.Coin), Problem: "names several coins; a forecast for programs is about one"}
	}
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, forecast.Make)
	if err != nil {
		return fmt.Errorf("forecast: %w", err)
	}
	main := report.Main()
	if main == nil {
		return handler.NewProblem(fiber.StatusConflict, phrase.Sentence(phrase.Empty(report.Empty))+" "+phrase.Missing(report.Coverage, s.Zone))
	}
	if !main.Known() {
		return handler.NewProblem(fiber.StatusConflict, phrase.ForecastLack(*main))
	}
	e := main.Estimate
	a := answer{
		Coin: main.Coin, Earned: e.Earned, Expected: e.Expected, Level: estimate.Level,
		TestedMonths: main.Tested(), Hits: main.Hits(), State: main.State, From: e.Days.First.String(), To: e.Days.Last.String(),
		AsOf: q.Values().Get("as_of"),
	}
	a.Low, a.High = rangeOf(e)
	if a.Reason = phrase.ForecastUnranged(*main); a.Reason != "" {
		a.Reason = phrase.ForecastBreak(*main) + " " + a.Reason
	}
	if b := e.Break; b != nil {
		a.Break = &change{Since: b.Since.String(), Before: b.Before, After: b.After}
	}
	if query.WholeMonths(e.Days) == 1 {
		a.Month = e.Days.First.Format("2006-01")
	}
	if v := report.Converted; v != nil && v.Known() {
		a.Converted = &worth{Coin: figures.ValuedIn, Earned: v.Estimate.Earned, Expected: v.Estimate.Expected, LeftOut: []affiliate.Coin{}}
		a.Converted.Low, a.Converted.High = rangeOf(v.Estimate)
		for _, missing := range v.Unpriced {
			a.Converted.LeftOut = append(a.Converted.LeftOut, missing.Coin)
		}
	}
	return c.JSON(a)
}
