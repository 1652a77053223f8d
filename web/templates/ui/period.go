package ui

import (
	"net/url"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// earliest is the first day that a query may name.
var earliest = affiliate.NewDay(2000, 1, 1)

// Back returns the query about the period before, and false if there is none.
func Back(q query.Query) (query.Query, bool) {
	days := affiliate.Days{First: q.Days.First - affiliate.Day(q.Days.Len()), Last: q.Days.First - 1}
	if n := wholeMonths(q); n > 0 {
		days.First = monthsAfter(q.Days.First, -n)
	}
	return at(q, days), days.First >= earliest
}

// forward returns the query about the period after, and false if it is in the future. A
// period that would extend beyond today is moved to end today, and a month that is
// still running is shown up to now.
func forward(q query.Query) (query.Query, bool) {
	if q.Days.Last >= q.Today {
		return q, false
	}
	days := affiliate.Days{First: q.Days.Last + 1, Last: q.Days.Last + affiliate.Day(q.Days.Len())}
	if n := wholeMonths(q); n > 0 {
		days.Last = min(monthsAfter(days.First, n)-1, q.Today)
	} else if over := days.Last - q.Today; over > 0 {
		days.First, days.Last = days.First-over, q.Today
	}
	return at(q, days), true
}

// wholeMonths returns by how many calendar months the query moves, and 0 if it moves by its
// own number of days.
func wholeMonths(q query.Query) int {
	switch q.Range {
	case query.MonthTo:
		return 1
	case query.QuarterTo:
		return 3
	case query.YearTo:
		return 12
	}
	return query.WholeMonths(q.Days)
}

// monthsAfter returns the first day of the month n months after that of day.
func monthsAfter(day affiliate.Day, n int) affiliate.Day {
	year, month, _ := day.Date()
	return affiliate.NewDay(year, month+time.Month(n), 1)
}

// at returns the query about other days: by name if a relative range means exactly
// these days, so that going back and forward returns to the start.
func at(q query.Query, days affiliate.Days) query.Query {
	q.Range, q.Days, q.Page = query.Custom, days, 1
	basis := query.Basis{Now: q.Today.Start(q.Zone), Zone: q.Zone, First: earliest}
	for _, name := range query.RangeNames() {
		named, err := query.Parse(url.Values{"range": {string(name)}}, basis)
		if err == nil && named.Days == days {
			q.Range = name
			break
		}
	}
	return q
}
