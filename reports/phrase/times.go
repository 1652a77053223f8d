package phrase

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// dayForm is the format of a day.
const dayForm = "2 Jan 2006"

// Clock prints an instant in the reporting zone, to the minute.
func Clock(t time.Time, zone *time.Location) string { return t.In(zone).Format(dayForm + " 15:04 MST") }

// Second prints an instant in the reporting zone, to the second.
func Second(t time.Time, zone *time.Location) string {
	return t.In(zone).Format(dayForm + " 15:04:05 MST")
}

// Minute prints an instant for a column that names its zone.
func Minute(at time.Time, zone *time.Location) string {
	if at.IsZero() {
		return "never"
	}
	return at.In(zone).Format(dayForm + " 15:04")
}

// Days prints days briefly: "3–5 Nov 2026", "28 Oct – 2 Nov 2026".
func Days(ds affiliate.Days) string {
	last := ds.Last.Format(dayForm)
	switch {
	case ds.First == ds.Last:
		return last
	case ds.First.Format("2006-01") == ds.Last.Format("2006-01"):
		return ds.First.Format("2") + "–" + last
	case ds.First.Format("2006") == ds.Last.Format("2006"):
		return ds.First.Format("2 Jan") + " – " + last
	}
	return ds.First.Format(dayForm) + " – " + last
}

// Period names days: a month "September 2026", a year "2025", whole months "July – September
// 2026", and others as [Days] does.
func Period(ds affiliate.Days) string {
	const month = "January 2006"
	months := query.WholeMonths(ds)
	_, first, _ := ds.First.Date()
	switch {
	case months == 0:
		return Days(ds)
	case months == 1:
		return ds.First.Format(month)
	case months == 12 && first == time.January:
		return ds.First.Format("2006")
	case ds.First.Format("2006") == ds.Last.Format("2006"):
		return ds.First.Format("January") + " – " + ds.Last.Format(month)
	}
	return ds.First.Format(month) + " – " + ds.Last.Format(month)
}

// Lengths says that a period is compared with one of another length: "30 days against 31". It is
// empty if both have the same number of days.
func Lengths(of, against affiliate.Days) string {
	if of.Len() == against.Len() {
		return ""
	}
	return fmt.Sprintf("%s against %d", Things(int64(of.Len()), "day"), against.Len())
}

// DaysIn prints days in full, with their zone: "1 Sep 2026 – 7 Sep 2026 (UTC)".
func DaysIn(ds affiliate.Days, zone *time.Location) string {
	if ds.First == ds.Last {
		return fmt.Sprintf("%s (%s)", ds.First.Format(dayForm), zone)
	}
	return fmt.Sprintf("%s – %s (%s)", ds.First.Format(dayForm), ds.Last.Format(dayForm), zone)
}

// AsKnown says as of when the state of a query is known: "at the end of 7 Sep 2026 (UTC)", "on 7
// Sep 2026 14:30 UTC". The query is about an earlier state.
func AsKnown(q query.Query) string {
	if day, end := q.AsOfDay(); end {
		return fmt.Sprintf("at the end of %s (%s)", day.Format(dayForm), q.Zone)
	}
	return "on " + Clock(q.AsOf, q.Zone)
}

// Range prints the range of a query: its days, its zone, and whether it is still running or
// as of when it is known.
func Range(q query.Query) string {
	words := DaysIn(q.Days, q.Zone)
	switch {
	case q.Past():
		words += ", as known " + AsKnown(q)
	case q.IncludesToday():
		words += ", to now"
	}
	return words
}

// Duration prints approximately how long something will take.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 90*time.Second:
		return "about a minute"
	case d < time.Hour:
		return fmt.Sprintf("about %d minutes", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("about %.1f hours", d.Hours())
}

// Took prints how long something took, in as much detail as its length requires: "850 ms",
// "12.4 s", "3 min 12 s", "2 h 5 min".
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d%sms", d.Milliseconds(), Space)
	case d < 59950*time.Millisecond: // what would round to 60.0 s is a minute
		return fmt.Sprintf("%.1f%ss", d.Seconds(), Space)
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d%smin %d%ss", d/time.Minute, Space, d%time.Minute/time.Second, Space)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d%sh %d%smin", d/time.Hour, Space, d%time.Hour/time.Minute, Space)
}

// Wait prints a whole number of seconds or minutes: "4 seconds", "2 minutes".
func Wait(d time.Duration) string {
	seconds := max(1, int64((d+time.Second-1)/time.Second))
	if seconds < 120 {
		return Things(seconds, "second")
	}
	return Things((seconds+59)/60, "minute")
}
