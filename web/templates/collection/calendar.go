package collection

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
)

// calendarState is the look and the explanation of a state of the calendar.
type calendarState struct {
	State   coverage.CalendarState
	Class   string // a distinct shape, so that colour is not the only difference
	Meaning string
}

// calendarStates lists the states in the order of the legend.
var calendarStates = []calendarState{
	{coverage.CalendarMissing, "day-missing", "not read so far"},
	{coverage.CalendarPartial, "day-partial", "read while the day was running, and not since"},
	{coverage.CalendarCollected, "day-collected", "read completely"},
	{coverage.CalendarVerified, "day-verified", "read completely, and a later read found the same"},
	{coverage.CalendarFailed, "day-failed", "the last try failed, and the day has not been read completely"},
	{coverage.CalendarQuarantined, "day-quarantined", "read, but for records that could not be read"},
	{coverage.CalendarBeyond, "day-beyond", "the exchange does not give this day"},
	{coverage.CalendarRunning, "day-running", "the day is not over"},
}

func stateOf(s coverage.CalendarState) calendarState {
	i := slices.IndexFunc(calendarStates, func(c calendarState) bool { return c.State == s })
	if i < 0 {
		return calendarState{State: s, Class: "day-missing"}
	}
	return calendarStates[i]
}

// monthSpan is a month above its weeks. The label is empty if there is no room for it.
type monthSpan struct {
	Label string
	Weeks int
}

// calendarGrid is a calendar by weekday, Monday first, and week. Places before the
// first and after the last day are nil.
type calendarGrid struct {
	Months   []monthSpan
	Weekdays [7][]*coverage.CalendarDay
}

func gridOf(days []coverage.CalendarDay) calendarGrid {
	var g calendarGrid
	if len(days) == 0 {
		return g
	}
	first, last := days[0].Day, days[len(days)-1].Day
	monday := first - affiliate.Day(weekday(first))
	weeks := int(last-monday)/7 + 1
	for i := range g.Weekdays {
		g.Weekdays[i] = make([]*coverage.CalendarDay, weeks)
	}
	for i, d := range days {
		g.Weekdays[weekday(d.Day)][int(d.Day-monday)/7] = &days[i]
	}
	g.Months = monthsOf(monday, last, weeks)
	return g
}

// monthsOf names the months of the weeks. A week in which a month begins is the first
// of that month; the year follows the first name with enough room.
func monthsOf(monday, last affiliate.Day, weeks int) []monthSpan {
	var spans []monthSpan
	var ends []affiliate.Day
	for w := range weeks {
		end := min(monday+affiliate.Day(7*w+6), last)
		if n := len(ends); n > 0 && ends[n-1].Format("2006-01") == end.Format("2006-01") {
			spans[n-1].Weeks++
			continue
		}
		spans, ends = append(spans, monthSpan{Weeks: 1}), append(ends, end)
	}
	const forName, forYear = 2, 4 // weeks that a label takes
	year := ""
	for i := range spans {
		switch this := ends[i].Format("2006"); {
		case spans[i].Weeks >= forYear && this != year:
			spans[i].Label, year = ends[i].Format("Jan 2006"), this
		case spans[i].Weeks >= forName:
			spans[i].Label = ends[i].Format("Jan")
		}
	}
	return spans
}

// weekday counts from Monday.
func weekday(d affiliate.Day) int { return (int(d.Weekday()) + 6) % 7 }

// stateCount is the number of days of a calendar in a state.
type stateCount struct {
	calendarState
	Days int
}

// countStates counts the states that occur, in the order of the legend.
func countStates(days []coverage.CalendarDay) []stateCount {
	counts := map[coverage.CalendarState]int{}
	for _, d := range days {
		counts[d.State]++
	}
	var list []stateCount
	for _, s := range calendarStates {
		if counts[s.State] > 0 {
			list = append(list, stateCount{s, counts[s.State]})
		}
	}
	return list
}

// allRead reports whether every day that is over was read, as far as the exchange gives it.
func allRead(days []coverage.CalendarDay) bool {
	return !slices.ContainsFunc(days, func(d coverage.CalendarDay) bool {
		switch d.State {
		case coverage.CalendarCollected, coverage.CalendarVerified, coverage.CalendarBeyond, coverage.CalendarRunning:
			return false
		}
		return true
	})
}

// stateWords says how many days are in which state.
func stateWords(days []coverage.CalendarDay) string {
	var parts []string
	for _, s := range countStates(days) {
		parts = append(parts, phrase.Count(s.Days)+" "+string(s.State))
	}
	return strings.Join(parts, ", ")
}

// calendarLabel describes the calendar for users who do not see it.
func calendarLabel(c coverage.StreamCalendar) string {
	var parts []string
	for _, s := range countStates(c.Days) {
		parts = append(parts, phrase.Things(s.Days, "day")+" "+string(s.State))
	}
	return "Calendar of " + phrase.Stream(c.Stream) + ": " + strings.Join(parts, ", ") + ". The list below it says which."
}

// calendarWith is what a calendar depends on besides the days.
type calendarWith struct {
	accounts      int
	zone, nextTry string
}

// dayTitles describes what is known about each day of a calendar. Days that were read
// together have the same reason, which it puts into words once.
func dayTitles(zone *time.Location, next string) func(coverage.CalendarDay) string {
	reasons := map[coverage.CalendarDay]string{}
	return func(d coverage.CalendarDay) string {
		alike := d
		alike.Day = 0
		reason, known := reasons[alike]
		if !known {
			reason = ": " + string(d.State) + "."
			if why := dayReason(d, zone, next); why != "" {
				reason += " " + phrase.Sentence(why)
			}
			reasons[alike] = reason
		}
		return d.Day.Format("Mon 2 Jan 2006") + reason
	}
}

// dayReason explains the state of a day: what was read and when, what failed, and when
// that is tried next.
func dayReason(d coverage.CalendarDay, zone *time.Location, next string) string {
	parts := []string{stateOf(d.State).Meaning}
	switch {
	case d.State == coverage.CalendarVerified && d.Agreed > 1:
		parts[0] = fmt.Sprintf("%d reads in a row found the same", d.Agreed)
	case d.Through.Known() && (d.State == coverage.CalendarPartial || d.State == coverage.CalendarRunning):
		parts = append(parts, "read up to "+phrase.Clock(d.Through.Time(), zone))
	}
	if d.LastRead.Known() {
		parts = append(parts, "last read "+phrase.Clock(d.LastRead.Time(), zone))
	}
	if d.Failed.Known() {
		parts = append(parts, "last failed "+phrase.Clock(d.Failed.Time(), zone), again(d.State, next))
	}
	return join(parts, d.Error)
}

// join puts the error last, because it is foreign text of any content.
func join(parts []string, failure string) string {
	text := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
	if failure == "" {
		return text
	}
	return text + ": " + failure
}

// stretch is a run of days in the same state for the same reason.
type stretch struct {
	Days affiliate.Days
	calendarState
	Error            string
	only             coverage.CalendarDay // the day, if it is a single one
	oldest, newest   affiliate.Millis     // of the last reads
	failed, failedTo affiliate.Millis     // of the last failures
}

// stretchesOf returns a calendar as a list, newest first.
func stretchesOf(days []coverage.CalendarDay) []stretch {
	var list []stretch
	for _, d := range slices.Backward(days) {
		n := len(list) - 1
		if n < 0 || list[n].State != d.State || list[n].Error != d.Error || list[n].Days.First != d.Day+1 {
			list = append(list, stretch{calendarState: stateOf(d.State), Error: d.Error, only: d, Days: affiliate.Days{First: d.Day, Last: d.Day}})
			n++
		}
		s := &list[n]
		s.Days.First = d.Day
		s.oldest, s.newest = widen(s.oldest, s.newest, d.LastRead)
		s.failed, s.failedTo = widen(s.failed, s.failedTo, d.Failed)
	}
	return list
}

// widen extends a time range to an instant; an unknown instant changes nothing.
func widen(from, to, at affiliate.Millis) (first, last affiliate.Millis) {
	if !at.Known() {
		return from, to
	}
	if !from.Known() {
		return at, at
	}
	return min(from, at), max(to, at)
}

// reason explains why the days of the stretch are in their state.
func (s stretch) reason(zone *time.Location, next string) string {
	if s.Days.Len() == 1 {
		return dayReason(s.only, zone, next)
	}
	parts := []string{s.Meaning, between("last read", s.oldest, s.newest, zone)}
	if s.failed.Known() {
		parts = append(parts, between("last failed", s.failed, s.failedTo, zone), again(s.State, next))
	}
	return join(parts, s.Error)
}

// again says when a failed day is tried next; data that the exchange no longer provides
// is not requested again.
func again(state coverage.CalendarState, next string) string {
	if state == coverage.CalendarBeyond {
		return ""
	}
	return "next try " + next
}

// between prints the first and the last time of an event; empty if it did not occur.
func between(what string, from, to affiliate.Millis, zone *time.Location) string {
	if !from.Known() {
		return ""
	}
	first, last := phrase.Clock(from.Time(), zone), phrase.Clock(to.Time(), zone)
	if first == last {
		return what + " " + first
	}
	return what + " between " + first + " and " + last
}
