package attention

import "github.com/shopspring/decimal"

// Thresholds of all findings.
const (
	// restatedPercent is the minimum share of a coin's commission that must have changed
	// after the fact. A few late records are normal for the exchange.
	restatedPercent = 1

	// dropPercent is how far a day or a week must be below the usual. Weeks of the same
	// programme differ by a fifth without any cause.
	dropPercent = 30

	// dropTwins is how many of the preceding days or weeks may have been as low: a
	// programme that depends on few large trades is low most of the time.
	dropTwins = 1

	// A rate is that of the last [invitees.PresentDays], compared with the rateBefore days
	// before. It must differ by ratePercent of itself, since fees and commissions are
	// rounded, and on at least rateTradingDays: one odd day is not a new level.
	rateBefore      = 90
	ratePercent     = 10
	rateTradingDays = 3

	// rateHint is the difference from which a rate is examined closely: a change of a few
	// days ago shows little in thirty of them.
	rateHint = 1

	// rateClose is how many of the most costly differences are examined closely.
	rateClose = 20

	// staleHours is how long no run may have begun. A run is due every quarter of an hour,
	// and back-off after failures ends well below this.
	staleHours = 3

	// lastingRuns is the number of consecutive failed runs that no longer looks temporary.
	lastingRuns = 3

	// lonePercent is the share of one invitee on which the whole programme depends.
	lonePercent = 50

	// A payment that is missing or short is an alert after paymentDays if paymentPercent of
	// what was due in the last [invitees.PresentDays] is outstanding, and at once from
	// paymentMuch on.
	paymentDays    = 7
	paymentPercent = 1
	paymentMuch    = 10

	// attentionNames is how many invitees a finding names; it counts all.
	attentionNames = 5
)

// atLeast reports whether a is at least the given percentage of whole.
func atLeast(a, whole decimal.Decimal, percent int64) bool {
	return a.Shift(2).GreaterThanOrEqual(whole.Mul(decimal.NewFromInt(percent)))
}
