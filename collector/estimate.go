package collector

import (
	"slices"
	"time"
)

const (
	// firstEstimate is the part of the work, one in so many, after which the time
	// left can be told.
	firstEstimate = 10
	// steps is into how many parts the work is cut to measure its pace. Writing comes
	// in bursts, so the pace of each window alone says little.
	steps = 50
	// slowdown is for how long a collection has to look twice as long as it was
	// told before more time is told.
	slowdown = 30 * time.Second
)

// estimate tells the time that is left. It goes by the usual pace, the weighted
// median, so that a pause of ten seconds is no reason to expect a hundred of them,
// and what it has told does not grow: it waits until the work has caught up.
type estimate struct {
	paces []pace
	since time.Time // of the work that is not in paces yet
	done  int

	told   time.Duration // the last answer
	at     time.Time     // when it was given
	doubts time.Time     // since when it has looked twice as long; zero: it does not
}

// pace is how long a stream-day took, over so many of them.
type pace struct {
	each time.Duration
	days int
}

// begin begins to measure anew, at an instant with so much done. Paces that were
// measured before stay: a collection goes on at the pace of its last run.
func (e *estimate) begin(now time.Time, done int) { e.since, e.done = now, done }

// advance measures what was done since the last time, once it is enough.
func (e *estimate) advance(now time.Time, done, wanted int) {
	days, took := done-e.done, now.Sub(e.since)
	if days <= 0 || days*steps < wanted || took <= 0 {
		return
	}
	e.paces = append(e.paces, pace{max(1, took/time.Duration(days)), days})
	if len(e.paces) > steps {
		e.paces = slices.Delete(e.paces, 0, 1)
	}
	e.begin(now, done)
}

// left is the time for so many days more, told at an instant. Zero means that it
// cannot be told.
func (e *estimate) left(now time.Time, done, wanted int) time.Duration {
	if len(e.paces) == 0 || wanted <= done || done*firstEstimate < wanted {
		return 0
	}
	expected := e.usual() * time.Duration(wanted-done)
	if e.told == 0 {
		return e.tell(now, expected)
	}
	counted := max(time.Second, e.told-now.Sub(e.at)) // what was told, less the time since
	switch {
	case expected <= counted:
		e.doubts = time.Time{}
		return e.tell(now, expected)
	case expected <= 2*e.told:
		e.doubts = time.Time{}
		return e.tell(now, min(e.told, expected))
	case e.doubts.IsZero():
		e.doubts = now
	case now.Sub(e.doubts) >= slowdown:
		e.doubts = time.Time{}
		return e.tell(now, expected)
	}
	return e.tell(now, e.told)
}

func (e *estimate) tell(now time.Time, d time.Duration) time.Duration {
	e.told, e.at = d, now
	return d
}

// usual is the median pace, each counted as often as days went at it.
func (e *estimate) usual() time.Duration {
	paces := slices.SortedFunc(slices.Values(e.paces), func(a, b pace) int { return int(a.each - b.each) })
	all := 0
	for _, p := range paces {
		all += p.days
	}
	sum := 0
	for _, p := range paces {
		if sum += p.days; 2*sum >= all {
			return p.each
		}
	}
	return 0
}
