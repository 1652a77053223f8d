package estimate

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// PastDays is what consecutive reporting days brought, in one unit. Every day is over and
// completely collected.
type PastDays struct {
	First   affiliate.Day
	Amounts []decimal.Decimal
}

// Next returns the day after the last one, which is the first to be estimated.
func (h PastDays) Next() affiliate.Day { return h.First + affiliate.Day(len(h.Amounts)) }

// Until returns the history as it was at the beginning of a day.
func (h PastDays) Until(day affiliate.Day) PastDays {
	h.Amounts = h.Amounts[:max(0, min(len(h.Amounts), int(day-h.First)))]
	return h
}

// last returns the newest days.
func (h PastDays) last(n int) PastDays {
	skip := max(0, len(h.Amounts)-n)
	return PastDays{First: h.First + affiliate.Day(skip), Amounts: h.Amounts[skip:]}
}

func (h PastDays) floats() []float64 {
	list := make([]float64, len(h.Amounts))
	for i, amount := range h.Amounts {
		list[i] = amount.InexactFloat64()
	}
	return list
}

// Sum returns the exact sum of those of the days that are in the history.
func (h PastDays) Sum(days affiliate.Days) decimal.Decimal {
	var sum affiliate.Sum
	for day := max(days.First, h.First); day <= min(days.Last, h.Next()-1); day++ {
		sum.AddDecimal(h.Amounts[day-h.First])
	}
	return sum.Decimal()
}

// Begun holds the days observed after a history.
type Begun struct {
	Amount decimal.Decimal // what they have brought so far
	Read   time.Duration   // how much of the first of them is read
	Day    time.Duration   // of its length
}

// share returns the share of the first day that is read.
func (b Begun) share() float64 {
	if b.Day <= 0 {
		return 0
	}
	return min(1, max(0, float64(b.Read)/float64(b.Day)))
}

// Estimate is where a sum over some days will end. Everything but Earned is an estimate.
type Estimate struct {
	Days     affiliate.Days
	Earned   decimal.Decimal // exact: what the days have brought so far
	Expected decimal.Decimal
	Low      decimal.Decimal // the range holds in [Level] of all cases
	High     decimal.Decimal
	From     affiliate.Day // the first day that is estimated; after Days.Last if none is
	Origins  int           // earlier days from which the range was taken
	Break    *Break        // nil: the level did not change lately
	// Young says that the level changed too short a time ago for a range: Low and High say nothing.
	Young bool
}

// Ranged reports whether there is a range.
func (e Estimate) Ranged() bool { return !e.Young }

// Held reports whether an amount lies within the range.
func (e Estimate) Held(came decimal.Decimal) bool {
	return e.Ranged() && !came.LessThan(e.Low) && !came.GreaterThan(e.High)
}

// Break is a change of the level of a programme that its own past does not explain.
type Break struct {
	Since         affiliate.Day   // the first day of the new level
	Before, After decimal.Decimal // what a day brought on average: in up to [BreakDays] days before, and since
}

// EstimatedDay is the estimate of what the days up to this one will have brought.
type EstimatedDay struct {
	Day                 affiliate.Day
	Expected, Low, High decimal.Decimal
}

// Level is the share of cases in which the range holds.
const Level = "0.8"

// ShortError says that a history is too short for an estimate.
type ShortError struct{ Have, Need int } // complete days

func (e *ShortError) Error() string {
	return fmt.Sprintf("the history has %d complete days, and this estimate needs %d", e.Have, e.Need)
}

// Needed returns the number of complete days before an estimate that reaches as many days
// ahead.
func Needed(ahead int) int { return warmUp + ahead + leastOrigins }

const (
	warmUp       = 28  // days before the first origin
	leastOrigins = 28  // origins from which a range is taken
	mostDays     = 800 // older days say little, and take time
)
