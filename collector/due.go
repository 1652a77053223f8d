package collector

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// A day is read again on every run while it settles, and once more at each of these ages, counted
// from its end.
var verifyAges = [...]time.Duration{3 * 24 * time.Hour, 35 * 24 * time.Hour, 80 * 24 * time.Hour}

// confirmAfter is how long after its last read a day that no second read has confirmed is
// read again. It applies to days that were too old at their first read for any of the ages
// above, and to those that the read at an age found changed.
const confirmAfter = 24 * time.Hour

// clockLeeway is how far a new measurement of the exchange's clock may lie behind the
// previous one.
const clockLeeway = time.Minute

// need says whether and how urgently a day must be read.
type need int

const (
	settled need = iota // not to be read
	wanted              // never read to its end, or still changing
	recheck             // known, and to be read once more
)

// needOf derives what a day needs from its coverage alone. now is the exchange's clock;
// settling is how long a day changes after its end. Scheduled runs leave recent sub-affiliate days,
// lists that are given whole, days of bills that are over, and days with quarantined records to the
// first run of each hour.
func needOf(c records.CoverageDay, stream exchange.StreamSheet, settling time.Duration, day affiliate.Day, now time.Time, scheduled bool) need {
	end, last := (day + 1).Start(time.UTC), lastRead(c, now)
	switch {
	case !c.Through.Known():
		return wanted
	case now.Before(end.Add(settling)):
		// Days of bills that are over change so seldom that once an hour is enough.
		seldom := stream.Whole || stream.Kind == affiliate.SubAffiliates || stream.Kind.Money() && c.Through >= affiliate.MillisOf(end)
		hourly := scheduled && seldom && !c.Failed.Known()
		if hourly && !last.Before(now.Truncate(time.Hour)) {
			return settled
		}
		return wanted
	case c.Through < affiliate.MillisOf(end):
		return wanted
	case c.Failed.Known(), last.Before(end.Add(verifyAge(now.Sub(end)))):
		return recheck
	case c.Quarantined > 0:
		// The exchange may send right what could not be read.
		if scheduled && !last.Before(now.Truncate(time.Hour)) {
			return settled
		}
		return recheck
	case c.Agreed < 2 && now.Sub(last) >= confirmAfter:
		return recheck
	case stream.Kind == affiliate.Invitees && last.Before(now.Truncate(24*time.Hour)):
		// KYC, deposits and trades of an invitee change long after registration. The age is
		// counted in UTC days, like the ages above, so that old days become due together:
		// read one by one, a year would cost 365 requests.
		return recheck
	}
	return settled
}

// verifyAge returns the newest of the ages for another read that a day of the given age has
// passed.
func verifyAge(age time.Duration) time.Duration {
	newest := time.Duration(0)
	for _, a := range verifyAges {
		if a <= age {
			newest = a
		}
	}
	return newest
}

// lastRead returns when the day was last read. A read in the future was stamped by a wrong
// clock, and would count the day as settled until that time; of such a read only its reach
// is used.
func lastRead(c records.CoverageDay, now time.Time) time.Time {
	if last := c.LastRead.Time(); !last.After(now.Add(clockLeeway)) {
		return last
	}
	if through := c.Through.Time(); through.Before(now) {
		return through
	}
	return now
}
