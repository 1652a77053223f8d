package books

import (
	"time"

	"rebatedesk/affiliate"
)

// Periods lists the periods, the shortest first.
func Periods() []Period { return []Period{Hour, Day, Week, Month} }

const (
	hourMillis = affiliate.Millis(time.Hour / time.Millisecond)
	dayMillis  = 24 * hourMillis
)

// Around returns the period that contains an instant: its start, and its end, which it
// excludes.
func (p Period) Around(at affiliate.Millis) (from, to affiliate.Millis) { return p.AroundIn(at, 0) }

// AroundIn is [Period.Around] in a zone that is ahead of UTC.
func (p Period) AroundIn(at, ahead affiliate.Millis) (from, to affiliate.Millis) {
	from, to = p.around(at + ahead)
	return from - ahead, to - ahead
}

func (p Period) around(at affiliate.Millis) (from, to affiliate.Millis) {
	today := affiliate.Day(floor(at, dayMillis) / dayMillis)
	days := func(first, next affiliate.Day) (affiliate.Millis, affiliate.Millis) {
		return affiliate.Millis(first) * dayMillis, affiliate.Millis(next) * dayMillis
	}
	switch p {
	case Hour:
		from = floor(at, hourMillis)
		return from, from + hourMillis
	case Week:
		monday := today - affiliate.Day((today.Weekday()+6)%7)
		return days(monday, monday+7)
	case Month:
		year, month, _ := today.Date()
		return days(affiliate.NewDay(year, month, 1), affiliate.NewDay(year, month+1, 1))
	}
	return days(today, today+1)
}

// floor rounds down to a multiple of unit.
func floor(at, unit affiliate.Millis) affiliate.Millis {
	rest := at % unit
	if rest < 0 {
		rest += unit
	}
	return at - rest
}

// length is the least length of the period.
func (p Period) length() time.Duration {
	switch p {
	case Hour:
		return time.Hour
	case Week:
		return 7 * 24 * time.Hour
	case Month:
		return 28 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// leastWindow is how long payments are on time where nothing else is known.
func (p Period) leastWindow() time.Duration {
	if p == Hour {
		return 15 * time.Minute
	}
	return time.Hour
}

// longestSpread is how far the delays of payments under one rule may lie apart.
func (p Period) longestSpread() time.Duration {
	switch p {
	case Hour:
		return 45 * time.Minute
	case Week:
		return 2 * 24 * time.Hour
	case Month:
		return 3 * 24 * time.Hour
	}
	return 12 * time.Hour
}

// longestDelay is how long after a period its payment is looked for.
func (p Period) longestDelay() time.Duration {
	switch p {
	case Hour:
		return 3 * 24 * time.Hour
	case Day:
		return 35 * 24 * time.Hour
	}
	return 62 * 24 * time.Hour
}
