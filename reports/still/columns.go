package still

import (
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// mostDays is the maximum number of daily columns; longer ranges are drawn by week.
const mostDays = 120

// Period returns the period of one column in the chart of a series: "day", "hour" for a
// single day, or "week" for long ranges.
func Period(d figures.DailySeries) string {
	switch {
	case d.Hours != nil:
		return "hour"
	case len(d.Days) > mostDays:
		return "week"
	}
	return "day"
}

// Columns is a series prepared for drawing: by hour, by day, or by week for long ranges.
type Columns struct {
	figures.DailySeries
	Period   string           // of a column: see [Period]
	Spans    []affiliate.Days // of each column
	RefSpans []affiliate.Days // of the compared period; its end may lie before that of Spans
}

// ColumnsOf prepares a series.
func ColumnsOf(d figures.DailySeries) Columns {
	c := Columns{DailySeries: d, Period: Period(d)}
	if c.Period == "week" {
		return weekly(c)
	}
	for _, day := range d.Days {
		c.Spans = append(c.Spans, affiliate.Days{First: day, Last: day})
	}
	for _, day := range d.RefDays {
		c.RefSpans = append(c.RefSpans, affiliate.Days{First: day, Last: day})
	}
	return c
}

// weekly adds up the days by weeks that begin on Monday. The first and the last week
// contain only days of the range, and a day of the compared period counts towards the
// week of the day with which it is compared.
func weekly(c Columns) Columns {
	d := c.DailySeries
	weeks := mondays(d.Days)
	w := figures.DailySeries{Of: d.Of, Coin: d.Coin, Unit: d.Unit, Total: add(d.Total, weeks), Annotations: d.Annotations}
	for _, part := range d.Parts {
		w.Parts = append(w.Parts, figures.SeriesPart{Name: part.Name, Values: add(part.Values, weeks)})
	}
	for _, week := range weeks {
		w.Days = append(w.Days, d.Days[week.from])
		w.State = append(w.State, together(d.State[week.from:week.to]))
		c.Spans = append(c.Spans, affiliate.Days{First: d.Days[week.from], Last: d.Days[week.to-1]})
	}
	if d.Reference != nil {
		w.Reference = []decimal.Decimal{}
		for _, week := range cut(weeks, len(d.Reference)) {
			span := affiliate.Days{First: d.RefDays[week.from], Last: d.RefDays[week.to-1]}
			w.Reference = append(w.Reference, decimal.Sum(decimal.Zero, d.Reference[week.from:week.to]...))
			w.RefDays, c.RefSpans = append(w.RefDays, span.First), append(c.RefSpans, span)
			w.RefKnown = append(w.RefKnown, all(d.RefKnown[week.from:week.to]))
		}
	}
	c.DailySeries = w
	return c
}

// stretch is a run of points of a series, as a half-open interval.
type stretch struct{ from, to int }

func mondays(days []affiliate.Day) []stretch {
	var weeks []stretch
	for i, day := range days {
		if i == 0 || day.Weekday() == time.Monday {
			weeks = append(weeks, stretch{i, i})
		}
		weeks[len(weeks)-1].to = i + 1
	}
	return weeks
}

// cut cuts stretches off at the end of a shorter series.
func cut(list []stretch, length int) []stretch {
	var short []stretch
	for _, s := range list {
		if s.from < length {
			short = append(short, stretch{s.from, min(s.to, length)})
		}
	}
	return short
}

func add(values []decimal.Decimal, weeks []stretch) []decimal.Decimal {
	sums := make([]decimal.Decimal, len(weeks))
	for i, week := range weeks {
		sums[i] = decimal.Sum(decimal.Zero, values[week.from:week.to]...)
	}
	return sums
}

// together returns the state of a week: the state that all its days share, else partly
// collected if any day is in doubt, else running if its last day is.
func together(days []coverage.DayState) coverage.DayState {
	state := days[0]
	for _, day := range days[1:] {
		switch {
		case day == state:
		case day.Doubtful() || state.Doubtful():
			state = coverage.DayPartial
		default:
			state = coverage.DayRunning
		}
	}
	return state
}

func all(known []bool) bool {
	for _, k := range known {
		if !k {
			return false
		}
	}
	return true
}

// Labels name the columns on the axis.
func (c Columns) Labels() []string {
	if c.Hours == nil {
		return DayLabels(c.Days)
	}
	labels := make([]string, len(c.Hours))
	for i, hour := range c.Hours {
		labels[i] = hour.From.Format("15:04")
	}
	return labels
}

// DayLabels name each column by its first day, with the year if the range spans more
// than one.
func DayLabels(days []affiliate.Day) []string {
	form := "2 Jan"
	if n := len(days); n > 0 && days[0].Format("2006") != days[n-1].Format("2006") {
		form = "2 Jan 06"
	}
	labels := make([]string, len(days))
	for i, day := range days {
		labels[i] = day.Format(form)
	}
	return labels
}

// Marked reports whether an annotation begins or ends in a column.
func (c Columns) Marked(i int) bool {
	if c.Hours != nil && i > 0 {
		return false
	}
	for _, a := range c.Annotations {
		if c.Spans[i].Contains(a.Days.First) || c.Spans[i].Contains(a.Days.Last) {
			return true
		}
	}
	return false
}
