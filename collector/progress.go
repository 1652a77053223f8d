package collector

import (
	"time"

	"rebatedesk/affiliate"
)

// Progress is the state of a running collection in a form ready to show. A backfill that is
// divided into runs is one collection: it continues where the previous run stopped.
type Progress struct {
	Running   bool
	Account   affiliate.Account
	Stream    affiliate.Stream // being read now
	Window    affiliate.Days   // being read now, UTC days
	Done      int              // stream-days read in this collection, over all its runs and accounts
	Wanted    int              // stream-days to read, as planned so far
	Requests  int
	Weight    int
	Records   int64
	Started   time.Time
	Finished  time.Time     // end of the last run, if none is running
	Next      time.Time     // latest start of the next run; zero while one runs, and if none is scheduled
	Remaining time.Duration // estimated after a tenth of the work; zero if it cannot be estimated yet
	Waiting   string        // why nothing moves, e.g. the rate limit; empty if it does
	Error     string        // the newest failure of this run, in a manager's words
	NoAccount bool          // no account is in use, so there is nothing to read

	reached int // percentage shown before: it never falls
}

// Percent returns how far the collection is, 0 to 100. It never falls while a collection
// runs.
func (p Progress) Percent() int {
	if p.Wanted == 0 {
		return p.reached
	}
	return max(p.reached, min(100, p.Done*100/p.Wanted))
}
