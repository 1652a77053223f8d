// Package forecast has the pages on where a month will end.
package forecast

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/ui"
)

// ForecastPath is the address of the page.
const ForecastPath = "/forecast"

// ForecastView is the page.
type ForecastView struct {
	Report forecast.Report
	Levels levels.Changes // of everything; empty if the page is about a part of it
	Links  ui.Links
	Goals  GoalsView // empty if the range is no month
}

// month returns the address of the page about the month of a day.
func (v ForecastView) month(day affiliate.Day) string {
	return v.Links.With(func(q *query.Query) { q.Range, q.Month = query.MonthTo, day.Format("2006-01") })
}

// days returns the address of the page about other days.
func (v ForecastView) days(days affiliate.Days) string {
	return v.Links.With(func(q *query.Query) { q.Range, q.Month, q.Days = query.Custom, "", days })
}

// before and after are days in the month next to the range.
func (v ForecastView) before() affiliate.Day { return v.Report.Days.First - 1 }
func (v ForecastView) after() affiliate.Day  { return v.Report.Days.Last + 1 }

// day is the present day of the report.
func (v ForecastView) day() affiliate.Day {
	if v.Report.Query.Past() {
		return affiliate.DayOf(v.Report.Query.AsOf, ui.ZoneOf(v.Report.Query))
	}
	return v.Report.Query.Today
}

// choice is one of the ranges that are offered.
type choice struct {
	Label, Address string
	Current        bool
}

func (v ForecastView) choices() []choice {
	year, month, _ := v.day().Date()
	this := forecast.MonthOf(v.day())
	quarter := affiliate.Days{First: affiliate.NewDay(year, month-(month-1)%3, 1)}
	quarter.Last = affiliate.NewDay(year, month-(month-1)%3+3, 1) - 1
	last, next := forecast.MonthOf(this.First-1), forecast.MonthOf(this.Last+1)
	list := []choice{{Label: "This month", Address: v.month(this.First)}, {Label: "This quarter", Address: v.days(quarter)},
		{Label: "Next month", Address: v.month(next.First)}, {Label: "Last month", Address: v.month(last.First)}}
	for i, days := range []affiliate.Days{this, quarter, next, last} {
		list[i].Current = days == v.Report.Days
	}
	return list
}

// label names the range on the button of the picker.
func (v ForecastView) label() string { return phrase.Period(v.Report.Days) }

// about says which days the page is about, and as of when.
func (v ForecastView) about() string {
	words := phrase.DaysIn(v.Report.Days, ui.ZoneOf(v.Report.Query))
	if v.Report.Query.Past() {
		words += ", as known on " + phrase.Clock(v.Report.Query.AsOf, ui.ZoneOf(v.Report.Query))
	}
	return words
}

// rough prints an estimated amount of an ending.
func rough(e forecast.Ending, d decimal.Decimal) string { return phrase.Estimated(e, d) }

func earned(e forecast.Ending) affiliate.Amount {
	return affiliate.Amount{Value: e.Estimate.Earned, Coin: e.Coin}
}

// estimated reports whether the ending has figures that are estimates.
func estimated(e *forecast.Ending) bool {
	return e != nil && e.Known() && e.State != forecast.SpanOver
}

// prospect is the chart of the main coin.
func (v ForecastView) prospect() charts.Prospect {
	p := charts.Prospect{Coin: v.Report.Coin, Days: v.Report.Course.Days, Earned: v.Report.Course.Earned}
	if main := v.Report.Main(); main != nil {
		p.Unranged = !main.Estimate.Ranged()
		p.Rough = func(d decimal.Decimal) string { return phrase.Estimated(*main, d) }
	}
	for _, day := range v.Report.Course.Ahead {
		p.Ahead = append(p.Ahead, charts.ProspectDay{Expected: day.Expected, Low: day.Low, High: day.High})
	}
	return p
}

func drawing(p charts.Prospect) ui.Chart {
	return ui.Chart{ID: "forecast-chart", Label: charts.DescribeProspect(p), Still: charts.StillProspect(p), Data: charts.DrawProspect(p)}
}

// shown reports whether there is a course to draw.
func (v ForecastView) shown() bool {
	return v.Report.Main() != nil && len(v.Report.Course.Earned)+len(v.Report.Course.Ahead) > 1 && v.Report.Main().Lack.Kind != forecast.LackDays
}

// coins are those of the chart.
func (v ForecastView) coins() []affiliate.Coin {
	var list []affiliate.Coin
	for _, e := range v.Report.Coins {
		list = append(list, e.Coin)
	}
	return list
}

// endings are the lines of the table: each coin, then all of them converted.
func (v ForecastView) endings() []forecast.Ending {
	list := v.Report.Coins
	if v.Report.Converted != nil {
		list = append(list[:len(list):len(list)], *v.Report.Converted)
	}
	return list
}

// conversionWords say how a converted ending is made.
func conversionWords(e forecast.Ending) string {
	if e.Converted {
		return ". " + worthWords
	}
	return ""
}

// unranged says why there is no range.
func unranged(e forecast.Ending) string {
	return strings.TrimSpace(phrase.ForecastBreak(e) + " " + phrase.ForecastUnranged(e))
}

// worthWords say how the converted line is made.
const worthWords = "All coins are converted to " + string(figures.ValuedIn) + ", each day at its own price. The days ahead are estimated as if prices stayed as they were."

// worth has the prices of the converted line, and all coins that it leaves out.
func (v ForecastView) worth() figures.Valuation {
	valued := v.Report.Converted.Earned
	valued.Missing = v.Report.Converted.Unpriced
	return valued
}

// trialWords say what the trials are.
func (v ForecastView) trialWords() string {
	return fmt.Sprintf("What the same method would have said of earlier ranges, each at the beginning of the same day, with the records that are known %s.", v.known())
}

func (v ForecastView) known() string {
	if v.Report.Query.Past() {
		return "as of the instant of this page"
	}
	return "now"
}

// courseDay is a day of the chart of the course.
type courseDay struct {
	charts.Prospect
	i int
}

func courseDays(p charts.Prospect) []courseDay {
	list := make([]courseDay, len(p.Days))
	for i := range list {
		list[i] = courseDay{p, i}
	}
	return list
}

// ahead returns the estimate of a day that is not over.
func (d courseDay) ahead() (charts.ProspectDay, bool) {
	i := d.i - (len(d.Days) - len(d.Ahead))
	if i < 0 {
		return charts.ProspectDay{}, false
	}
	return d.Ahead[i], true
}

func courseColumns() []ui.Column[courseDay] {
	estimate := func(label string, words func(courseDay, charts.ProspectDay) string) ui.Column[courseDay] {
		return ui.CellColumn(label, func(d courseDay) templ.Component {
			if ahead, is := d.ahead(); is {
				return ui.Text(words(d, ahead))
			}
			return ui.Unknown("the day is over and collected: nothing is estimated")
		}, ui.Nums).Toned(func(d courseDay) string {
			if _, is := d.ahead(); is {
				return "italic"
			}
			return "text-muted"
		})
	}
	return []ui.Column[courseDay]{
		ui.TextColumn("Up to the end of", func(d courseDay) string { return d.Days[d.i].Format("Mon, 2 Jan 2006") }, ui.Names("font-normal")),
		ui.CellColumn("Earned", func(d courseDay) templ.Component {
			if d.i >= len(d.Earned) {
				return ui.Unknown("the day has not begun")
			}
			return ui.Amount(affiliate.Amount{Value: d.Earned[d.i], Coin: d.Coin})
		}, ui.Nums),
		estimate("Expected (estimate)", func(d courseDay, of charts.ProspectDay) string { return d.Rough(of.Expected) }),
		estimate("Range (estimate)", func(d courseDay, of charts.ProspectDay) string { return d.Rough(of.Low) + " – " + d.Rough(of.High) }),
	}
}

// estimateColumn is a column of estimates: a figure of an ending, or why there is none.
func estimateColumn[T any](label, class string, of func(T) (e forecast.Ending, figure decimal.Decimal, why string)) ui.Column[T] {
	return ui.CellColumn(label, func(row T) templ.Component {
		e, figure, why := of(row)
		if why != "" {
			return ui.Unknown(why)
		}
		return ui.Text(rough(e, figure))
	}, ui.Nums).Toned(func(row T) string {
		e, _, why := of(row)
		switch {
		case why == "":
			return class
		case e.Known() && e.State == forecast.SpanOver:
			return "text-muted"
		}
		return ""
	}).Titled(func(row T) string {
		_, figure, why := of(row)
		if why != "" {
			return ""
		}
		return figure.String() + ", an estimate"
	})
}

// unestimated says why an ending has no estimate; empty: it has one.
func unestimated(e forecast.Ending) string {
	switch {
	case !e.Known():
		return phrase.ForecastLack(e)
	case e.State == forecast.SpanOver:
		return "the range is over: nothing is estimated"
	}
	return ""
}

// unbounded says why an estimate has no range; empty: it has one.
func unbounded(e forecast.Ending) string {
	if e.Estimate.Ranged() {
		return ""
	}
	return cmp.Or(unranged(e), "the estimate has no range")
}

// endingColumns are the columns of what each coin will bring.
func endingColumns() []ui.Column[forecast.Ending] {
	type ending = forecast.Ending
	return []ui.Column[ending]{
		ui.CellColumn("Coin", endingName, ui.Names("")),
		ui.CellColumn("Earned", func(e ending) templ.Component {
			if e.Lack.Kind == forecast.LackDays && e.Estimate.Earned.IsZero() {
				return ui.Unknown(phrase.ForecastLack(e))
			}
			return ui.Amount(earned(e))
		}, ui.Nums),
		estimateColumn("Expected", "font-medium italic", func(e ending) (ending, decimal.Decimal, string) { return e, e.Estimate.Expected, unestimated(e) }),
		estimateColumn("Low", "italic", func(e ending) (ending, decimal.Decimal, string) {
			return e, e.Estimate.Low, cmp.Or(unestimated(e), unbounded(e))
		}),
		estimateColumn("High", "italic", func(e ending) (ending, decimal.Decimal, string) {
			return e, e.Estimate.High, cmp.Or(unestimated(e), unbounded(e))
		}),
		ui.CellColumn("Held", func(e ending) templ.Component {
			if e.Tested() == 0 {
				return ui.Unknown("no earlier range was tested")
			}
			return ui.Text(ui.Itoa(e.Hits()) + " of " + ui.Itoa(e.Tested()))
		}, ui.Nums, ui.Hinted("In how many earlier ranges the range of this method held")),
	}
}

// trialColumns are the columns of the forecasts of earlier ranges in a coin.
func trialColumns(coin affiliate.Coin) []ui.Column[forecast.Trial] {
	type trial = forecast.Trial
	then := func(t trial) forecast.Ending { return forecast.Ending{Coin: coin, Estimate: t.Estimate} }
	return []ui.Column[trial]{
		ui.TextColumn("Range", func(t trial) string { return phrase.Period(t.Estimate.Days) }, ui.Names("font-normal whitespace-nowrap")),
		ui.TextColumn("Forecast on", func(t trial) string { return t.On.Format("2 Jan 2006") }, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Earned then", func(t trial) templ.Component { return ui.Amount(earned(then(t))) }, ui.Nums),
		ui.TextColumn("Expected", func(t trial) string { return rough(then(t), t.Estimate.Expected) }, ui.Nums, ui.Classed("italic")),
		estimateColumn("Low", "italic", func(t trial) (forecast.Ending, decimal.Decimal, string) {
			return then(t), t.Estimate.Low, unbounded(then(t))
		}),
		estimateColumn("High", "italic", func(t trial) (forecast.Ending, decimal.Decimal, string) {
			return then(t), t.Estimate.High, unbounded(then(t))
		}),
		ui.CellColumn("What came", func(t trial) templ.Component { return ui.Amount(affiliate.Amount{Value: t.Came, Coin: coin}) }, ui.Nums, ui.Classed("font-medium")),
		ui.CellColumn("Held", func(t trial) templ.Component {
			switch {
			case !t.Estimate.Ranged():
				return ui.Span("text-muted", "", "no range")
			case t.Held():
				return ui.Span("text-success", "", "held")
			case t.Came.GreaterThan(t.Estimate.High):
				return ui.Span("text-warning", "", "more came")
			}
			return ui.Span("text-warning", "", "less came")
		}, ui.Classed("whitespace-nowrap")),
	}
}

// levelWords say what is watched, and how much of it changed.
func (v ForecastView) levelWords() string {
	watched := phrase.Things(v.Levels.Watched, "level") + " of programmes, and of codes and invitees with 5" + phrase.Space + "% of the commission of 180 days"
	if n := len(v.Levels.List); n > 0 {
		return phrase.Count(n) + " of " + watched + " changed in the last eight weeks. Amounts of a day are of all coins, converted."
	}
	return "None of " + watched + " changed in the last eight weeks."
}

// levelColumns are the columns of the changed levels.
func (v ForecastView) levelColumns() []ui.Column[levels.Change] {
	type change = levels.Change
	amount := func(d decimal.Decimal) templ.Component {
		return ui.Amount(affiliate.Amount{Value: d, Coin: figures.ValuedIn})
	}
	return []ui.Column[change]{
		ui.CellColumn("What", func(c change) templ.Component { return levelOf(v, c) }, ui.Names(""), ui.OnPhone(ui.Lead)),
		ui.TextColumn("Since", func(c change) string { return c.Since.Format("2 Jan 2006") }, ui.Classed("whitespace-nowrap"), ui.OnPhone(ui.NamedNote)),
		ui.CellColumn("Before", func(c change) templ.Component { return amount(c.Before) }, ui.Nums, ui.OnPhone(ui.NamedNote), ui.Hinted("A day on average, in up to 84 days before")),
		ui.CellColumn("Now", func(c change) templ.Component { return amount(c.After) }, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.NamedNote), ui.Hinted("A day on average since")),
		ui.CellColumn(v.Levels.Today.Format("January 2006"), func(c change) templ.Component { return amount(c.Effect) }, ui.Nums, ui.OnPhone(ui.Figure),
			ui.Hinted("The difference of a day times the days of the month since the change, those to come among them")),
		ui.CellColumn("Share", func(c change) templ.Component {
			return ui.Ratio(c.Share, "the whole programme")
		}, ui.Nums, ui.Hinted("Of the commission of its programme in 180 days")),
	}
}
