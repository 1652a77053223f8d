package worklist

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/levels"
)

// ReasonName says why an invitee is worth a call.
type ReasonName string

// Reasons for a call.
const (
	ReasonTie       ReasonName = "days-left"  // the exchange soon ends its tie, by the inactivity limit
	ReasonSilent    ReasonName = "silent"     // fell silent by its own rhythm
	ReasonSlowing   ReasonName = "slowing"    // is silent for longer than its usual gap
	ReasonRate      ReasonName = "lower-rate" // brings less of its fees than before, or than agreed
	ReasonLevel     ReasonName = "level"      // trades, and brings about half a day of what it did, or less
	ReasonPlanned   ReasonName = "next-date"  // a manager set this day for the next contact
	ReasonNoTrade   ReasonName = "no-trade"   // deposited for the first time and has not traded
	ReasonMilestone ReasonName = "milestone"  // first trade, or commission past a round amount
)

// ReasonNames lists the reasons. Of two that are worth the same the earlier one weighs more.
func ReasonNames() []ReasonName {
	return []ReasonName{ReasonTie, ReasonSilent, ReasonSlowing, ReasonRate, ReasonLevel, ReasonPlanned, ReasonNoTrade, ReasonMilestone}
}

// A first deposit without a trade is a reason from noTradeFrom days after it, when the invitee
// could look around, to noTradeUntil days after it.
const (
	noTradeFrom  = 3
	noTradeUntil = 30
)

// milestoneDays is for how many days, the day itself included, a milestone is a reason.
const milestoneDays = 7

// leastMilestone is the least commission of a lifetime, in [figures.ValuedIn], that is a milestone.
// The others are ten times the one before.
var leastMilestone = decimal.NewFromInt(100)

// CallReason is one reason for a call.
type CallReason struct {
	Name ReasonName
	// Began is the day on which its episode began: the last trade, the first day at the lower
	// level or rate, the first deposit, the milestone, the day that was set. A reason that is done comes
	// back with a later episode only. 0: before the days that are examined.
	Began affiliate.Day
	// AtRisk is, per coin, what is at risk in thirty days; nil if the reason has no amount.
	AtRisk []affiliate.Amount
	Passed decimal.Decimal // of a milestone: the round amount; zero: the first trade
	Level  *levels.Change  // of a lower level
	Done   bool            // an act settled this episode

	worth decimal.Decimal // of AtRisk, as far as it has rates
}

// milestoneOf returns the highest round amount that a sum reached and an earlier one had not.
func milestoneOf(before, now decimal.Decimal) (decimal.Decimal, bool) {
	passed, reached := decimal.Zero, false
	for at := leastMilestone; at.LessThanOrEqual(now); at = at.Shift(1) {
		if before.LessThan(at) {
			passed, reached = at, true
		}
	}
	return passed, reached
}

// weigh puts the weightiest reason first: open ones before those that are done.
func weigh(reasons []CallReason, prices figures.Prices) {
	for i := range reasons {
		reasons[i].worth = prices.Worth(reasons[i].AtRisk...).Total
	}
	names := ReasonNames()
	slices.SortFunc(reasons, func(a, b CallReason) int {
		return cmp.Or(cmp.Compare(flag(a.Done), flag(b.Done)), b.worth.Cmp(a.worth), cmp.Compare(flag(a.AtRisk == nil), flag(b.AtRisk == nil)),
			cmp.Compare(slices.Index(names, a.Name), slices.Index(names, b.Name)))
	})
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
