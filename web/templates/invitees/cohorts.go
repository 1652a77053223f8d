package invitees

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/sums"
	"rebatedesk/web/templates/ui"
)

// cohortsView is a table of cohorts.
type cohortsView struct {
	Report cohorts.Report
	Links  ui.Links
}

// metricLabel returns the name of a cohort figure.
func metricLabel(metric string) string {
	switch metric {
	case cohorts.MetricCommission:
		return "Commission per user"
	case cohorts.MetricCumulative:
		return "Commission per user, cumulative"
	}
	return "Traders active"
}

// title returns the name of the table, with the coin if it shows amounts.
func (v cohortsView) title() string {
	title := metricLabel(v.Report.Query.Metric) + ", by " + string(v.Report.Period) + " of registration"
	if v.Report.Query.Metric != cohorts.MetricTraders && v.Report.Coin != "" {
		title += ", " + string(v.Report.Coin)
	}
	return title
}

// metricWords explains the content of a cell.
func (v cohortsView) metricWords() string {
	per := "in the " + string(v.Report.Period) + " of that age"
	switch v.Report.Query.Metric {
	case cohorts.MetricCommission:
		return "Commission in " + string(v.Report.Coin) + " earned " + per + ", divided by all who registered, whether they traded or not."
	case cohorts.MetricCumulative:
		return "Commission in " + string(v.Report.Coin) + " earned from registration to the end of the " + string(v.Report.Period) + " of that age, divided by all who registered, whether they traded or not."
	}
	return "Share of the cohort that traded " + per + ", and the number of people. “Traded” means at least one commission record."
}

// periodLabel returns the name of a cohort period.
func periodLabel(by string) string {
	if by == string(sums.CohortWeek) {
		return "Week"
	}
	return "Month"
}

// tooMany reports whether the range makes more cohorts than a table holds.
func (v cohortsView) tooMany(by string) bool {
	return by == string(sums.CohortWeek) && v.Report.Query.Days.Len() > 7*(cohorts.Most-1)
}

// label names a cohort by its month or by the first day of its week.
func (v cohortsView) label(c cohorts.Cohort) string {
	if v.Report.Period == sums.CohortMonth {
		return c.Whole.First.Format("Jan 2006")
	}
	return c.Whole.First.Format("2 Jan 2006")
}

// isoWeek returns the number of a week, as calendars print it.
func isoWeek(day affiliate.Day) string {
	_, week := day.Start(time.UTC).ISOWeek()
	return "W" + ui.Itoa(week)
}

// heat is a displayed cell of the table.
type heat struct {
	Text  string // empty if unknown
	Small string
	Title string
	Class string
	Why   string // why the figure is not final, or unknown
}

// heat returns the cell of a cohort at an age.
func (v cohortsView) heat(c cohorts.Cohort, age int, colours scale) heat {
	cell := c.Cells[age]
	cumulative := v.Report.Query.Metric == cohorts.MetricCumulative
	h := heat{Why: cell.Immature}
	unread := cell.Unread
	if cumulative {
		h.Why, unread = cell.TotalImmature, cell.TotalUnread
	}
	value, known := v.value(c, cell)
	switch {
	case unread:
		h.Why = "no day of it is collected yet"
		h.Class, h.Title = "heat-open", phrase.Days(cell.Days)+": "+h.Why
		return h
	case !known:
		h.Why, h.Title = "nobody is known who registered then", "nobody is known who registered then"
		return h
	}
	h.Text, h.Small = v.print(value), ""
	h.Title = phrase.Days(cell.Days) + ": " + value.String() + " " + string(v.Report.Coin) + " per registered user, of " + phrase.Things(c.Invitees, "user")
	if v.Report.Query.Metric == cohorts.MetricTraders {
		h.Small = phrase.Count(cell.Active)
		h.Title = phrase.Days(cell.Days) + ": " + phrase.Count(cell.Active) + " of " + phrase.Count(c.Invitees) + " traded"
	}
	h.Class = colours.shade(value)
	if h.Why != "" {
		h.Class += " heat-open"
		h.Title += "; not final: " + h.Why
	}
	return h
}

// value returns the displayed value of a cell: a percentage or an amount.
func (v cohortsView) value(c cohorts.Cohort, cell cohorts.Cell) (decimal.Decimal, bool) {
	if v.Report.Query.Metric == cohorts.MetricTraders {
		r := c.Percent(cell)
		return r.Percent, r.Known
	}
	return c.PerUser(cell, v.Report.Query.Metric == cohorts.MetricCumulative)
}

// mean returns the displayed mean of the cohorts of which an age is final.
func (v cohortsView) mean(m cohorts.Mean) (value decimal.Decimal, groups int, known bool) {
	switch v.Report.Query.Metric {
	case cohorts.MetricTraders:
		r := m.Percent()
		return r.Percent, m.Cohorts, r.Known
	case cohorts.MetricCumulative:
		value, known = m.PerUser(true)
		return value, m.Totalled, known
	}
	value, known = m.PerUser(false)
	return value, m.Cohorts, known
}

func (v cohortsView) print(value decimal.Decimal) string {
	if v.Report.Query.Metric == cohorts.MetricTraders {
		return phrase.Percent(value)
	}
	return affiliate.Amount{Value: value, Coin: v.Report.Coin}.Short()
}

// shades is the number of colour steps besides no colour.
const shades = 6

// scale holds the highest value of each shade, the palest first. Shares have even steps. Of
// amounts, each shade has a sixth of the non-empty cells; otherwise one cohort with a big earner
// would leave all others pale. The key prints the limits of both.
type scale []decimal.Decimal

func (v cohortsView) scale() scale {
	var values []decimal.Decimal
	for _, c := range v.Report.Cohorts {
		for _, cell := range c.Cells {
			if value, known := v.value(c, cell); known && value.IsPositive() {
				values = append(values, value)
			}
		}
	}
	slices.SortFunc(values, decimal.Decimal.Cmp)
	var s scale
	for i := range shades {
		if len(values) > 0 && v.Report.Query.Metric == cohorts.MetricTraders {
			step := values[len(values)-1].Div(decimal.NewFromInt(shades))
			s = append(s, step.Mul(decimal.NewFromInt(int64(i+1))).RoundUp(1))
		} else if len(values) > 0 {
			s = append(s, values[(len(values)*(i+1)+shades-1)/shades-1])
		}
	}
	return s
}

// shade returns the class of a value.
func (s scale) shade(value decimal.Decimal) string {
	for i, most := range s {
		if value.IsPositive() && value.LessThanOrEqual(most) {
			return "heat-" + ui.Itoa(i+1)
		}
	}
	return "heat-0"
}
