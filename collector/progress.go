package collector

import (
	"time"

	"rebatedesk/affiliate"
)

// Progress is a running collection seen from outside, in finished values. A
// backfill that is cut into runs is one collection: it goes on where the run
// before it stopped.
type Progress struct {
	Running   bool
	Account   affiliate.Account
	Stream    affiliate.Stream // being read now
	Window    affiliate.Days   // being read now, UTC days
	Done      int              // stream-days read in this collection, over all its runs and accounts
	Wanted    int              // stream-days it will read, as planned so far
	Requests  int
	Weight    int
	Records   int64
	Started   time.Time
	Finished  time.Time     // of the last run, when none is running
	Next      time.Time     // when the next run begins at the latest; zero while one runs, and where none is scheduled
	Remaining time.Duration // estimated from a tenth on; zero when it cannot be told yet
	Waiting   string        // why nothing moves, e.g. the rate limit; empty when it does
	Error     string        // the newest failure of this run, in a manager's words

	reached int // percent that was told before: it never falls back
}

// Percent is how far the collection is, 0 to 100. It never falls while one runs.
func (p Progress) Percent() int {
	if p.Wanted == 0 {
		return p.reached
	}
	return max(p.reached, min(100, p.Done*100/p.Wanted))
}
