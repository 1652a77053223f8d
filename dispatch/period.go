package dispatch

import (
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

// Every is how often something is sent, and therefore the length of its period.
type Every string

// The periods: a day, a week from Monday, a calendar month.
const (
	Daily   Every = "daily"
	Weekly  Every = "weekly"
	Monthly Every = "monthly"
)

// Known reports whether e is a valid period.
func (e Every) Known() bool { return e == Daily || e == Weekly || e == Monthly }

// Period is the range of what is sent: whole days of the reporting zone.
type Period struct {
	Every Every
	affiliate.Days
}

// Of returns the period that contains a day.
func (e Every) Of(day affiliate.Day) Period {
	first, last := day, day
	switch e {
	case Weekly:
		first = day - affiliate.Day((day.Weekday()+6)%7)
		last = first + 6
	case Monthly:
		year, month, _ := day.Date()
		first, last = affiliate.NewDay(year, month, 1), affiliate.NewDay(year, month+1, 1)-1
	}
	return Period{e, affiliate.Days{First: first, Last: last}}
}

// Next returns the following period.
func (p Period) Next() Period { return p.Every.Of(p.Last + 1) }

// Previous returns the preceding period.
func (p Period) Previous() Period { return p.Every.Of(p.First - 1) }

// Label names the period in a subject: "1 Sep 2026 (UTC)", "week 35,
// 24–30 Aug 2026 (UTC)", "August 2026". Weeks are those of ISO 8601.
func (p Period) Label(zone *time.Location) string {
	const day = "2 Jan 2006"
	switch p.Every {
	case Weekly:
		_, week := p.Last.Start(time.UTC).ISOWeek()
		return fmt.Sprintf("week %d, %s%s (%s)", week, p.beginning(), p.Last.Format(day), zone)
	case Monthly:
		return p.First.Format("January 2006")
	}
	return fmt.Sprintf("%s (%s)", p.First.Format(day), zone)
}

// Heading returns the label for the head of a page.
func (p Period) Heading(zone *time.Location) string {
	switch label := p.Label(zone); p.Every {
	case Daily:
		return p.First.Format("Monday, ") + label
	case Weekly:
		return "W" + strings.TrimPrefix(label, "w")
	default:
		return fmt.Sprintf("%s (%s)", label, zone)
	}
}

// beginning returns the first day of a range and the dash after it, without the parts
// that the last day repeats.
func (p Period) beginning() string {
	year, month, _ := p.First.Date()
	switch lastYear, lastMonth, _ := p.Last.Date(); {
	case year != lastYear:
		return p.First.Format("2 Jan 2006") + " – "
	case month != lastMonth:
		return p.First.Format("2 Jan") + " – "
	}
	return p.First.Format("2") + "–"
}
