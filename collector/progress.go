package collector

import (
	"time"

	"rebatedesk/affiliate"
)

// Progress is a running collection seen from outside, in finished values.
type Progress struct {
	Running   bool
	Account   affiliate.Account
	Stream    affiliate.Stream // being read now
	Window    affiliate.Days   // being read now, UTC days
	Done      int              // stream-days read in this run
	Wanted    int              // stream-days this run will read, as planned so far
	Requests  int
	Weight    int
	Records   int64
	Started   time.Time
	Finished  time.Time     // of the last run, when none is running
	Next      time.Time     // when the next run begins at the latest; zero while one runs, and where none is scheduled
	Remaining time.Duration // estimated; zero when it cannot be told yet
	Waiting   string        // why nothing moves, e.g. the rate limit; empty when it does
	Error     string        // the newest failure of this run, in a manager's words
}

// Percent is how far the run is, 0 to 100.
func (p Progress) Percent() int {
	if p.Wanted == 0 {
		return 0
	}
	return min(100, p.Done*100/p.Wanted)
}
