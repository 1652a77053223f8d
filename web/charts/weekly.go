package charts

import (
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// mostDays is the maximum number of daily columns; longer ranges are drawn by week.
const mostDays = 120

// ColumnSpan returns the period of one column in the chart of a series: "day", "hour" for a
// single day, or "week" for long ranges.
func ColumnSpan(d figures.DailySeries) string {
	switch {
	case d.Hours != nil:
		return "hour"
	case len(d.Days) > mostDays:
		return "week"
	}
	return "day"
}

// plot is a series prepared for drawing, with the days that each point covers.
type plot struct {
	figures.DailySeries
	Period   string
	spans    []affiliate.Days
	refSpans []affiliate.Days // of the compared period; its end may lie before that of spans
}

func plotOf(d figures.DailySeries) plot {
	p := plot{DailySeries: d, Period: ColumnSpan(d)}
	if p.Period == "week" {
		return weekly(p)
	}
	for _, day := range d.Days {
		p.spans = append(p.spans, affiliate.Days{First: day, Last: day})
	}
	for _, day := range d.RefDays {
		p.refSpans = append(p.refSpans, affiliate.Days{First: day, Last: day})
	}
	return p
}

// weekly adds up the days by weeks that begin on Monday. The first and the last week
// contain only days of the range, and a day of the compared period counts towards the
// week of the day with which it is compared.
func weekly(p plot) plot {
	d := p.DailySeries
	weeks := mondays(d.Days)
	w := figures.DailySeries{Of: d.Of, Coin: d.Coin, Unit: d.Unit, Total: add(d.Total, weeks), Annotations: d.Annotations}
	for _, part := range d.Parts {
		w.Parts = append(w.Parts, figures.SeriesPart{Name: part.Name, Values: add(part.Values, weeks)})
	}
	for _, week := range weeks {
		w.Days = append(w.Days, d.Days[week.from])
		w.State = append(w.State, together(d.State[week.from:week.to]))
		p.spans = append(p.spans, affiliate.Days{First: d.Days[week.from], Last: d.Days[week.to-1]})
	}
	if d.Reference != nil {
		w.Reference = []decimal.Decimal{}
		for _, week := range within(weeks, len(d.Reference)) {
			span := affiliate.Days{First: d.RefDays[week.from], Last: d.RefDays[week.to-1]}
			w.Reference = append(w.Reference, decimal.Sum(decimal.Zero, d.Reference[week.from:week.to]...))
			w.RefDays, p.refSpans = append(w.RefDays, span.First), append(p.refSpans, span)
			w.RefKnown = append(w.RefKnown, all(d.RefKnown[week.from:week.to]))
		}
	}
	p.DailySeries = w
	return p
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

// within cuts stretches off at the end of a shorter series.
func within(list []stretch, length int) []stretch {
	var cut []stretch
	for _, s := range list {
		if s.from < length {
			cut = append(cut, stretch{s.from, min(s.to, length)})
		}
	}
	return cut
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
