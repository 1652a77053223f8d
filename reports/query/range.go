package query

import (
	"time"

	"rebatedesk/affiliate"
)

// RangeName is a range of days relative to today, by the names of the URL.
type RangeName string

// Ranges of the pages. Custom means explicit days.
const (
	Today     RangeName = "today"
	Yesterday RangeName = "yesterday"
	Last7     RangeName = "7d"
	Last14    RangeName = "14d"
	Last30    RangeName = "30d"
	Last90    RangeName = "90d"
	MonthTo   RangeName = "mtd"
	LastMonth RangeName = "last-month"
	QuarterTo RangeName = "qtd"
	YearTo    RangeName = "ytd"
	Last12M   RangeName = "12m" // 365 days
	AllTime   RangeName = "all"
	Custom    RangeName = ""
)

// RangeNames lists the relative ranges in the order they are offered.
func RangeNames() []RangeName {
	return []RangeName{Today, Yesterday, Last7, Last14, Last30, Last90, MonthTo, LastMonth, QuarterTo, YearTo, Last12M, AllTime}
}

// Label returns the name for display.
func (r RangeName) Label() string {
	switch r {
	case Today:
		return "Today"
	case Yesterday:
		return "Yesterday"
	case Last7:
		return "Last 7 days"
	case Last14:
		return "Last 14 days"
	case Last30:
		return "Last 30 days"
	case Last90:
		return "Last 90 days"
	case MonthTo:
		return "Month to date"
	case LastMonth:
		return "Last month"
	case QuarterTo:
		return "Quarter to date"
	case YearTo:
		return "Year to date"
	case Last12M:
		return "Last 365 days"
	case AllTime:
		return "All time"
	}
	return "Custom"
}

// days resolves the range on the day today. Ranges of n days include today. AllTime begins
// on first, the oldest day with any data.
func (r RangeName) days(today, first affiliate.Day) (affiliate.Days, bool) {
	year, month, _ := today.Date()
	to := func(d affiliate.Day) affiliate.Days { return affiliate.Days{First: d, Last: today} }
	switch r {
	case Today:
		return to(today), true
	case Yesterday:
		return affiliate.Days{First: today - 1, Last: today - 1}, true
	case Last7:
		return to(today - 6), true
	case Last14:
		return to(today - 13), true
	case Last30:
		return to(today - 29), true
	case Last90:
		return to(today - 89), true
	case MonthTo:
		return to(affiliate.NewDay(year, month, 1)), true
	case LastMonth:
		return affiliate.Days{First: affiliate.NewDay(year, month-1, 1), Last: affiliate.NewDay(year, month, 1) - 1}, true
	case QuarterTo:
		return to(affiliate.NewDay(year, month-(month-1)%3, 1)), true
	case YearTo:
		return to(affiliate.NewDay(year, time.January, 1)), true
	case Last12M:
		return to(today - 364), true // not the same date a year ago: history of 365 days covers all of them
	case AllTime:
		return to(min(first, today)), true
	}
	return affiliate.Days{}, false
}

// Compare names the reference with which figures are compared.
type Compare string

// References of the pages.
const (
	CompareNone     Compare = "none"
	ComparePrevious Compare = "previous" // immediately before: as many whole months, or as many days
	CompareWeekday  Compare = "weekday"  // earlier days, moved by whole weeks
	CompareMonth    Compare = "month"    // the same calendar days a month earlier, see [monthsBefore]
	CompareYear     Compare = "year"     // the same calendar days a year earlier, see [monthsBefore]
)

// Compares lists the references in the order they are offered.
func Compares() []Compare {
	return []Compare{CompareNone, ComparePrevious, CompareWeekday, CompareMonth, CompareYear}
}

// Label returns the name for display.
func (c Compare) Label() string {
	switch c {
	case ComparePrevious:
		return "Previous period"
	case CompareWeekday:
		return "Previous, same weekdays"
	case CompareMonth:
		return "A month before"
	case CompareYear:
		return "A year before"
	}
	return "No comparison"
}

// Days returns the reference of the given days, or false for no comparison.
func (c Compare) Days(of affiliate.Days) (affiliate.Days, bool) {
	n := affiliate.Day(of.Len())
	switch c {
	case ComparePrevious:
		return previous(of), true
	case CompareWeekday:
		weeks := (n + 6) / 7 * 7
		return affiliate.Days{First: of.First - weeks, Last: of.Last - weeks}, true
	case CompareMonth:
		return monthsBefore(of, 1), true
	case CompareYear:
		return monthsBefore(of, 12), true
	}
	return affiliate.Days{}, false
}

// previous returns the period immediately before. A whole month is compared with the month
// before, which may have more or fewer days. Everything else is compared with as many days: for a
// week from Monday this is the week before.
func previous(of affiliate.Days) affiliate.Days {
	if WholeMonths(of) == 1 {
		year, month, _ := of.First.Date()
		return affiliate.Days{First: affiliate.NewDay(year, month-1, 1), Last: of.First - 1}
	}
	return affiliate.Days{First: of.First - affiliate.Day(of.Len()), Last: of.First - 1}
}

// WholeMonths returns how many calendar months the days are, and 0 if they begin or end within
// a month.
func WholeMonths(days affiliate.Days) int {
	year, month, first := days.First.Date()
	afterYear, afterMonth, after := (days.Last + 1).Date()
	if first != 1 || after != 1 {
		return 0
	}
	return (afterYear-year)*12 + int(afterMonth-month)
}

// monthsBefore returns the same calendar days some months earlier. A day that the earlier month does
// not have falls to the last day of that month: 29 February to 28 February. Whole months are
// compared with whole months, which may have more or fewer days.
func monthsBefore(of affiliate.Days, months int) affiliate.Days {
	first := func(d affiliate.Day, ahead int) affiliate.Day {
		year, month, _ := d.Date()
		return affiliate.NewDay(year, month+time.Month(ahead-months), 1)
	}
	before := func(d affiliate.Day) affiliate.Day {
		_, _, day := d.Date()
		return min(first(d, 0)+affiliate.Day(day-1), first(d, 1)-1)
	}
	days := affiliate.Days{First: before(of.First), Last: before(of.Last)}
	if WholeMonths(of) > 0 {
		days.Last = first(of.Last, 1) - 1
	}
	return days
}
