package affiliate

import (
	"fmt"
	"time"
)

// Millis is an instant in Unix epoch milliseconds, UTC, the unit of the exchange (interface
// document, section 1). Zero means unknown.
type Millis int64

// MillisOf returns the instant t, truncated to milliseconds.
func MillisOf(t time.Time) Millis { return Millis(t.UnixMilli()) }

// Time returns the instant in UTC. For an unknown instant it is the zero time.
func (m Millis) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Known reports whether the instant is known.
func (m Millis) Known() bool { return m != 0 }

// String returns RFC 3339 in UTC with milliseconds, the form of every export; unknown is
// the empty string.
func (m Millis) String() string {
	if m == 0 {
		return ""
	}
	return string(m.AppendTo(nil))
}

// AppendTo appends the result of String.
func (m Millis) AppendTo(b []byte) []byte {
	if m == 0 {
		return b
	}
	return m.Time().AppendFormat(b, "2006-01-02T15:04:05.000Z")
}

// Scan implements sql.Scanner: NULL is unknown.
func (m *Millis) Scan(value any) error {
	switch v := value.(type) {
	case int64:
		*m = Millis(v)
	case nil:
		*m = 0
	default:
		return fmt.Errorf("a stored instant is %T, not an integer", value)
	}
	return nil
}

// Range is a range of time that includes From and excludes To.
type Range struct{ From, To time.Time }

// Contains reports whether the instant m lies in the range.
func (r Range) Contains(m Millis) bool {
	return m >= MillisOf(r.From) && m < MillisOf(r.To)
}

// Empty reports whether no instant lies in the range.
func (r Range) Empty() bool { return !r.From.Before(r.To) }

// String returns both ends in RFC 3339, UTC.
func (r Range) String() string {
	return r.From.UTC().Format(time.RFC3339) + " to " + r.To.UTC().Format(time.RFC3339)
}

// Day is a calendar day without a zone, counted in days since 1970-01-01. The zone decides
// which instants belong to it: UTC for the exchange, the reporting zone in figures.
type Day int32

const dayForm = "2006-01-02"

// DayOf returns the calendar day of t in the zone loc.
func DayOf(t time.Time, loc *time.Location) Day {
	_, offset := t.In(loc).Zone()
	seconds := t.Unix() + int64(offset)
	if seconds < 0 {
		seconds -= 86400 - 1 // round down, not towards zero
	}
	return Day(seconds / 86400)
}

// NewDay returns the given calendar day; overflow is normalised as by time.Date.
func NewDay(year int, month time.Month, day int) Day {
	seconds := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()
	return Day(seconds / 86400)
}

// ParseDay parses YYYY-MM-DD.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(dayForm, s)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a day of the form YYYY-MM-DD", s)
	}
	return DayOf(t, time.UTC), nil
}

// Start returns the first instant of the day in the zone loc. If a clock change removes
// midnight, it is the first instant that exists.
func (d Day) Start(loc *time.Location) time.Time {
	if loc == time.UTC {
		return time.Unix(int64(d)*86400, 0).UTC()
	}
	y, m, day := d.Date()
	t := time.Date(y, m, day, 0, 0, 0, 0, loc)
	// If midnight is skipped, time.Date may return an hour of the previous day; walk to the
	// first instant of the day itself.
	for DayOf(t, loc) < d {
		t = t.Add(15 * time.Minute)
	}
	return t.UTC()
}

// Range returns the whole day in the zone loc: 23, 24 or 25 hours.
func (d Day) Range(loc *time.Location) Range {
	return Range{From: d.Start(loc), To: (d + 1).Start(loc)}
}

// Date splits the day into year, month and day of the month.
func (d Day) Date() (int, time.Month, int) {
	return time.Unix(int64(d)*86400, 0).UTC().Date()
}

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday {
	return time.Unix(int64(d)*86400, 0).UTC().Weekday()
}

// Format formats the day by a layout of package time.
func (d Day) Format(layout string) string {
	return time.Unix(int64(d)*86400, 0).UTC().Format(layout)
}

// String returns YYYY-MM-DD.
func (d Day) String() string { return d.Format(dayForm) }

// Days is a range of calendar days that includes both ends.
type Days struct{ First, Last Day }

// Len returns the number of days; it is 0 if Last lies before First.
func (ds Days) Len() int { return max(0, int(ds.Last-ds.First)+1) }

// Range returns the range of time that the days cover in the zone loc.
func (ds Days) Range(loc *time.Location) Range {
	return Range{From: ds.First.Start(loc), To: (ds.Last + 1).Start(loc)}
}

// Contains reports whether d is one of the days.
func (ds Days) Contains(d Day) bool { return d >= ds.First && d <= ds.Last }

// Settling is how long after the end of a day the exchange still lists late records of it,
// changes them and takes them back. A reading that begins later finds the day as it stays.
const Settling = 72 * time.Hour
