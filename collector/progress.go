package collector

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
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
	Now       time.Time     // when this state was asked for
	NoAccount bool          // no account is in use, so there is nothing to read
	Several   bool          // several accounts are in use
	Failures  []Failure     // by account: what could not be read

	reached int // percentage shown before: it never falls
}

// Failure is what keeps an account from being read: the newest failure of the run, or of the one
// before while nothing could be read since.
type Failure struct {
	Account affiliate.Account
	Error   string         // in a manager's words, with the endpoint and what the exchange said
	Class   exchange.Class // empty: not the exchange's failure, but one of this server
	Hint    string         // what to check or do, as far as the class says it; may be empty
	// Since is when the first failure came after which nothing was read; zero if something was.
	Since time.Time
	// ReadTo is the instant, by the exchange's clock, up to which the newest commission was read when
	// the run ended; zero if there is none.
	ReadTo time.Time

	earlier bool // of an earlier collection
}

// Percent returns how far the collection is, 0 to 100. It never falls while a collection
// runs.
func (p Progress) Percent() int {
	if p.Wanted == 0 {
		return p.reached
	}
	return max(p.reached, min(100, p.Done*100/p.Wanted))
}
