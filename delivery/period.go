package delivery

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store/outbox"
)

// The lengths of periods.
const (
	DayPeriods   = "day"
	WeekPeriods  = "week" // from Monday
	MonthPeriods = "month"
)

func knownEvery(every string) bool {
	return every == DayPeriods || every == WeekPeriods || every == MonthPeriods
}

// periodOf returns the period of a delivery that contains a day.
func periodOf(every string, day affiliate.Day) affiliate.Days {
	switch every {
	case WeekPeriods:
		first := day - affiliate.Day((day.Weekday()+6)%7)
		return affiliate.Days{First: first, Last: first + 6}
	case MonthPeriods:
		year, month, _ := day.Date()
		return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(year, month+1, 1) - 1}
	}
	return affiliate.Days{First: day, Last: day}
}

// endOf returns when the days of a file are over: days of some exports are UTC days.
func endOf(d outbox.Delivery, days affiliate.Days, zone *time.Location) time.Time {
	end := days.Range(zone).To
	if kind, unknown := reports.ExportNamed(d.Kind); unknown == nil && kind.UTC {
		if utc := days.Range(time.UTC).To; utc.After(end) {
			return utc
		}
	}
	return end
}

// dueAt returns when a period is delivered: at the hour of the delivery on the day after it, or
// as soon as its days are over everywhere they are counted.
func dueAt(d outbox.Delivery, days affiliate.Days, zone *time.Location) time.Time {
	year, month, day := (days.Last + 1).Date()
	at := affiliate.LocalTime(year, month, day, d.Hour, d.Minute, zone)
	if end := endOf(d, days, zone); at.Before(end) {
		return end
	}
	return at
}

// newestDue returns the newest period that is due.
func newestDue(d outbox.Delivery, zone *time.Location, now time.Time) affiliate.Days {
	p := periodOf(d.Every, affiliate.DayOf(now, zone))
	for dueAt(d, p, zone).After(now) {
		p = periodOf(d.Every, p.First-1)
	}
	return p
}

// lookBack is how many periods back missed ones are looked for, and mostBehind how many of them
// are delivered; older ones are skipped.
const (
	lookBack   = 400
	mostBehind = 31
)

// duePeriods lists the newest periods that are due and end after a day, oldest first.
func duePeriods(d outbox.Delivery, zone *time.Location, now time.Time) (due []affiliate.Days) {
	p := newestDue(d, zone, now)
	first := p
	for range lookBack {
		if before := periodOf(d.Every, first.First-1); before.Last > d.After {
			first = before
		} else {
			break
		}
	}
	for ; first.Last <= p.Last; first = periodOf(d.Every, first.Last+1) {
		if first.Last > d.After {
			due = append(due, first)
		}
	}
	return due
}
