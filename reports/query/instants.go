package query

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
)

// minuteForm is how a browser sends an instant that was picked: in the reporting zone.
const minuteForm = "2006-01-02T15:04"

// instant is a parameter that takes an instant or a day. A day means its first instant or, if
// last, its last one: days are inclusive.
func instant(name string, last bool, field func(*Query) *time.Time) param {
	return param{name: name, most: maxText,
		set: func(q *Query, value string, basis Basis) error {
			if !basis.Since {
				return invalid(name, value, noneOf(nil))
			}
			at, ok := readInstant(value, last, q.Zone)
			if !ok {
				return invalid(name, value, "is neither a time such as 2026-09-07T12:00:00Z nor a day such as 2026-09-07")
			}
			*field(q) = at
			q.SinceUsual = q.SinceUsual && field(q) != &q.Since
			return nil
		},
		text: func(q *Query) string {
			if q.SinceUsual && field(q) == &q.Since {
				return ""
			}
			return instantText(*field(q), last, q.Zone)
		},
	}
}

func readInstant(value string, last bool, zone *time.Location) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		at, err = time.ParseInLocation(minuteForm, value, zone)
	}
	if err != nil {
		at, err = time.ParseInLocation(minuteForm+":05", value, zone)
	}
	if day, wrong := affiliate.ParseDay(value); wrong == nil {
		at, err = edgeOf(day, last, zone), nil
	}
	if err != nil {
		return at, false
	}
	at = at.UTC().Truncate(time.Millisecond) // stamps are milliseconds
	day := affiliate.DayOf(at, zone)
	return at, day >= Earliest && day <= Latest
}

// edgeOf returns the first or the last instant of a day.
func edgeOf(day affiliate.Day, last bool, zone *time.Location) time.Time {
	if last {
		return day.Range(zone).To.Add(-time.Millisecond)
	}
	return day.Start(zone)
}

// instantText returns the day of an instant that is its edge, and otherwise the instant.
func instantText(at time.Time, last bool, zone *time.Location) string {
	if at.IsZero() {
		return ""
	}
	if zone != nil {
		if day := affiliate.DayOf(at, zone); edgeOf(day, last, zone).Equal(at) {
			return day.String()
		}
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// orderInstants refuses a since in the future, and an until before it.
func (q *Query) orderInstants(now time.Time) error {
	text := func(at time.Time, last bool) string { return instantText(at, last, q.Zone) }
	switch {
	case q.Since.After(now):
		return invalid("since", text(q.Since, false), "lies in the future; it is now "+now.In(q.Zone).Format(time.RFC3339))
	case !q.Until.IsZero() && q.Until.Before(q.Since):
		return invalid("until", text(q.Until, true), "lies before since="+text(q.Since, false))
	}
	return nil
}

// SinceMillis returns the instant since which changes are requested; 0 if there is none.
func (q Query) SinceMillis() affiliate.Millis {
	if q.Since.IsZero() {
		return 0
	}
	return affiliate.MillisOf(q.Since)
}

// UntilMillis returns the instant until which changes are requested; 0 means now.
func (q Query) UntilMillis() affiliate.Millis {
	if q.Until.IsZero() {
		return 0
	}
	return affiliate.MillisOf(q.Until)
}

// joinedTime joins a day and a time of that day, which a form sends separately. The time may be
// empty.
func joinedTime(given []string) []string {
	if len(given) != 2 {
		return given
	}
	day, clock := strings.TrimSpace(given[0]), strings.TrimSpace(given[1])
	switch {
	case clock == "":
		return []string{day}
	case day == "":
		return given
	}
	return []string{day + "T" + clock}
}
