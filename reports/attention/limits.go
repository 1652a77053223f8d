package attention

import "github.com/shopspring/decimal"

// The thresholds of all findings.
const (
	// restatedPercent is how much of a coin's commission must have changed after
	// the fact. A few late records are the exchange's way of working.
	restatedPercent = 1

	// dropPercent is how far below its usual a day or a week must be. Weeks of
	// the same programme differ by a fifth without any cause.
	dropPercent = 30

	// dropTwins is how many of the days or weeks before may have been as low: a
	// programme that lives off few large trades is low most of the time.
	dropTwins = 1

	// A rate is that of the last [invitees.PresentDays] against rateBefore days before.
	// It must differ by ratePercent of itself, since fees and commissions are
	// rounded, and on rateTradingDays at least: one odd day is no new level.
	rateBefore      = 90
	ratePercent     = 10
	rateTradingDays = 3

	// rateHint is when a difference is looked at more closely: a change of a few
	// days ago shows little in thirty of them.
	rateHint = 1

	// rateClose is how many of the most costly differences are looked at so.
	rateClose = 20

	// staleHours is how long no run may have begun. One is due every quarter of
	// an hour, and back-off after failures ends well below.
	staleHours = 3

	// lastingRuns are failed runs in a row that no longer look like a hiccup.
	lastingRuns = 3

	// lonePercent is the share of one invitee that makes the whole depend on it.
	lonePercent = 50

	// attentionNames is how many invitees a finding names; it counts all.
	attentionNames = 5
)

// atLeast reports whether a is at least so many percent of whole.
func atLeast(a, whole decimal.Decimal, percent int64) bool {
	return a.Shift(2).GreaterThanOrEqual(whole.Mul(decimal.NewFromInt(percent)))
}
