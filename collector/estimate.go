package collector

import (
	"slices"
	"time"
)

const (
	// firstEstimate is the fraction of the work, as a divisor, after which the remaining
	// time can be estimated.
	firstEstimate = 10
	// steps is the number of parts into which the work is divided to measure its pace.
	// Writing happens in bursts, so the pace of a single window says little.
	steps = 50
	// slowdown is how long a collection must appear to need twice the estimated time before
	// the estimate is raised.
	slowdown = 30 * time.Second
)

// estimate computes the remaining time. It uses the usual pace, the weighted median, so
// that one pause of ten seconds does not predict a hundred of them. Its answers do not
// grow: it waits until the work has caught up.
type estimate struct {
	paces []pace
	since time.Time // start of the work not yet in paces
	done  int

	least  time.Duration // what the request budget takes at least, whatever the pace was
	told   time.Duration // the last answer
	at     time.Time     // time of the last answer
	doubts time.Time     // since when the work appears to need twice as long; zero: it does not
}

// pace is the time per stream-day, over a number of stream-days.
type pace struct {
	each time.Duration
	days int
}

// budgetPeriod is the time in which a request budget may be spent once.
const budgetPeriod = 10 * time.Second

// rationed returns the least time that the budget takes for the remaining days, if they cost as
// much weight as those before. A collection begins in a burst, which the whole budget pays for, so
// its first paces say too little.
func rationed(weight, done, wanted, limit int) time.Duration {
	if done <= 0 || limit <= 0 || wanted <= done {
		return 0
	}
	left := int64(weight) * int64(wanted-done) / int64(done)
	return time.Duration(left) * budgetPeriod / time.Duration(limit)
}

// begin starts a new measurement at an instant, with the amount of work done. Earlier paces
// are kept: a collection continues at the pace of its last run.
func (e *estimate) begin(now time.Time, done int) { e.since, e.done = now, done }

// advance measures the work since the last measurement, once it is enough.
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

// left returns the time for the remaining days, at an instant. Zero means that it cannot be
// estimated.
func (e *estimate) left(now time.Time, done, wanted int) time.Duration {
	if len(e.paces) == 0 || wanted <= done || done*firstEstimate < wanted {
		return 0
	}
	expected := max(e.usual()*time.Duration(wanted-done), e.least)
	if e.told == 0 {
		return e.tell(now, expected)
	}
	counted := max(time.Second, e.told-now.Sub(e.at)) // the last answer, less the time since
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

// usual returns the median pace, each pace weighted by its days.
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
