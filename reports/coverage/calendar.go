package coverage

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

// CalendarState is the collection state of one UTC day of one stream.
type CalendarState string

// States of the coverage calendar.
const (
	CalendarMissing   CalendarState = "not collected"
	CalendarPartial   CalendarState = "partly collected" // read while the day was running, not since
	CalendarCollected CalendarState = "collected"
	CalendarVerified  CalendarState = "verified" // a second read found the same
	CalendarFailed    CalendarState = "failed"
	CalendarBeyond    CalendarState = "out of reach"
	CalendarRunning   CalendarState = "running"

	CalendarQuarantined CalendarState = "partly unreadable" // read, but some records could not be
)

// CalendarDay is one day of the coverage calendar.
type CalendarDay struct {
	Day       affiliate.Day // a UTC day
	State     CalendarState
	Through   affiliate.Millis // read up to here
	FirstRead affiliate.Millis
	LastRead  affiliate.Millis
	Agreed    int              // reads in a row that found the same
	Failed    affiliate.Millis // when the last try failed
	Error     string           // why, or what could not be read

	Quarantined int // records that could not be read
}

// StreamCalendar is the calendar of one stream of one account, oldest day first, over every
// day that was ever to be collected.
type StreamCalendar struct {
	Account affiliate.Account
	Stream  affiliate.Stream
	Days    []CalendarDay
}

// Calendar returns the calendar of one stream.
func (c *Map) Calendar(stream AccountStream, days affiliate.Days) StreamCalendar {
	calendar := StreamCalendar{Account: stream.Account, Stream: stream.Stream, Days: make([]CalendarDay, 0, days.Len())}
	for day := days.First; day <= days.Last; day++ {
		known := c.days[coverKey{stream, day}]
		calendar.Days = append(calendar.Days, CalendarDay{
			Day: day, State: c.calendarState(stream, day, known), Through: known.Through,
			FirstRead: known.FirstRead, LastRead: known.LastRead, Agreed: known.Agreed,
			Failed: known.Failed, Error: known.Error, Quarantined: known.Quarantined,
		})
	}
	return calendar
}

// calendarState returns the state of a day. A complete day stays complete when a later read
// of it fails: nothing is missing.
func (c *Map) calendarState(stream AccountStream, day affiliate.Day, known records.CoverageDay) CalendarState {
	span := day.Range(time.UTC)
	running := c.listed(stream).Before(span.To)
	switch {
	case known.Quarantined > 0:
		return CalendarQuarantined
	case known.Through.Known() && known.Whole() && known.Agreed >= 2:
		return CalendarVerified
	case known.Through.Known() && known.Whole():
		return CalendarCollected
	case c.beyond(stream, day):
		return CalendarBeyond
	case known.Failed.Known():
		return CalendarFailed
	case running && (known.Through.Known() || c.listed(stream).Sub(span.From) < freshEnough):
		return CalendarRunning
	case known.Through.Known():
		return CalendarPartial
	}
	return CalendarMissing
}
