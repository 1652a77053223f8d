package dispatch

import (
	"time"

	"rebatedesk/affiliate"
)

// Schedule says when periods are due, and how long they wait for their figures.
type Schedule struct {
	Every        Every
	Weekday      time.Weekday // on which weekly periods are due
	MonthDay     int          // on which monthly periods are due; clipped to the end of the month
	Hour, Minute int
	Zone         *time.Location // of the hour
	Days         *time.Location // the reporting zone: that of the periods
	UTC          bool           // a period is over when its days are over in UTC too
	Deadline     int            // hours after it is due, in which a period waits until its figures are complete
}

// maxBehind is how far back missed periods are looked for.
const maxBehind = 1000 // days

// Over returns when the days of a period have ended, wherever they are counted.
func (s Schedule) Over(p Period) time.Time {
	end := p.Range(s.Days).To
	if utc := p.Range(time.UTC).To; s.UTC && utc.After(end) {
		return utc
	}
	return end
}

// DueAt returns when a period is due: at the hour of the schedule, on the day after the
// period, or on the first given weekday or day of the month from then on. Each period has
// exactly one such instant. If that hour comes before the period is over, because the zone of
// the hour is ahead of that of the days, it is the end of the period.
func (s Schedule) DueAt(p Period) time.Time {
	day := p.Last + 1
	switch p.Every {
	case Weekly:
		day += affiliate.Day((s.Weekday - day.Weekday() + 7) % 7)
	case Monthly:
		day += affiliate.Day(min(s.MonthDay, p.Next().Len()) - 1)
	}
	year, month, d := day.Date()
	at := affiliate.LocalTime(year, month, d, s.Hour, s.Minute, s.Zone)
	if end := s.Over(p); at.Before(end) {
		return end
	}
	return at
}

// Due lists the periods that are due by now and end after the day through, oldest first.
func (s Schedule) Due(through affiliate.Day, now time.Time) (due []Period) {
	from := max(through+1, affiliate.DayOf(now, s.Days)-maxBehind)
	for p := s.Every.Of(from); !s.DueAt(p).After(now); p = p.Next() {
		if p.Last > through {
			due = append(due, p)
		}
	}
	return due
}

// Newest returns the newest period that is due by now. A new schedule begins after it.
func (s Schedule) Newest(now time.Time) Period {
	p := s.Every.Of(affiliate.DayOf(now, s.Days))
	for s.DueAt(p).After(now) {
		p = p.Previous()
	}
	return p
}

// Next returns when the next period is due.
func (s Schedule) Next(now time.Time) time.Time { return s.DueAt(s.Newest(now).Next()) }

// Until returns the deadline of a period, at which it is sent even if it is incomplete.
func (s Schedule) Until(p Period) time.Time {
	return s.DueAt(p).Add(time.Duration(s.Deadline) * time.Hour)
}

// Ready reports whether a due period is sent now: its figures are complete, or it has waited for
// them until its deadline, and is late.
func (s Schedule) Ready(p Period, now time.Time, complete func() (bool, error)) (ready, late bool, err error) {
	if !now.Before(s.Until(p)) {
		return true, true, nil
	}
	ready, err = complete()
	return ready, false, err
}
