package invitees

import (
	"rebatedesk/affiliate"

	"rebatedesk/reports/figures"
)

// State describes how an invitee trades, at the time of the report.
type State string

// States of an invitee. Each invitee has exactly one: the first of [stateOf] that fits.
const (
	StateNew         State = "new"          // registered, or traded for the first time, in the last 30 days
	StateActive      State = "active"       // trades in its usual rhythm
	StateSlowing     State = "slowing"      // is silent for longer than its usual gap
	StateSilent      State = "silent"       // for longer than 30 days, or than three of its usual gaps
	StateNeverTraded State = "never-traded" // as far as is known
)

// States lists the states in the order they are offered.
func States() []State {
	return []State{StateNew, StateActive, StateSlowing, StateSilent, StateNeverTraded}
}

const (
	newDays    = 30  // how long an invitee is new
	silentDays = 30  // how long a trader may be silent whatever its gap
	silentGaps = 3   // number of usual gaps that a trader may be silent
	RhythmDays = 180 // period from which its rhythm is derived
	leastGaps  = 3   // fewer gaps do not make a rhythm
)

// tradingDays holds the days that determine the state of an invitee, as reporting days. A
// day of 0 is not known.
type tradingDays struct {
	registered affiliate.Day
	firstTrade affiliate.Day
	lastTrade  affiliate.Day
	usualGap   figures.HalfDays // between trading days
}

// stateOf returns the state on the day today.
func stateOf(d tradingDays, today affiliate.Day) State {
	recent := func(day affiliate.Day) bool { return day != 0 && today-day <= newDays }
	silence := int(today - d.lastTrade)
	switch {
	case recent(d.registered), recent(d.firstTrade):
		return StateNew
	case d.lastTrade == 0:
		return StateNeverTraded
	case silence > silentDays, d.usualGap.Exceeded(silence, silentGaps):
		return StateSilent
	case d.usualGap.Exceeded(silence, 1):
		return StateSlowing
	}
	return StateActive
}

// usualGap returns the median of the days from one day with commission to the next. It is
// not known if there are too few days. days are in order.
func usualGap(days []affiliate.Day) figures.HalfDays {
	if len(days) <= leastGaps {
		return 0
	}
	var counts [RhythmDays]int // of gaps, by their length
	for i, day := range days[1:] {
		counts[day-days[i]]++
	}
	gaps := len(days) - 1
	return figures.HalfDays(nth(&counts, (gaps-1)/2) + nth(&counts, gaps/2)) // an even count has two in the middle
}

// nth returns the gap with n gaps before it in order of length.
func nth(counts *[RhythmDays]int, n int) int {
	for length, count := range counts {
		if n -= count; n < 0 {
			return length
		}
	}
	return len(counts)
}
