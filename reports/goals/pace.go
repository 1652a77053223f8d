package goals

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
)

// State says how a goal stands.
type State string

// States of goals.
const (
	Ahead   State = "ahead"   // its month has not begun
	Reached State = "reached" // whatever comes
	OnPace  State = "on pace" // the forecast expects it to be reached
	Open    State = "open"    // it is in the range of the forecast, but not expected
	Behind  State = "behind"  // it is above the range of the forecast
	Unknown State = "unknown" // there is no forecast, or the month is not completely collected
	Missed  State = "missed"  // its month is over, and completely collected
)

// Pace compares what a month has brought with its goal. Amounts are exact, except ADay, which
// is rounded up.
type Pace struct {
	Days      affiliate.Days // of the month
	Amount    decimal.Decimal
	Earned    decimal.Decimal
	Share     figures.Ratio   // of Earned in Amount
	Lacking   decimal.Decimal // from Earned to Amount; 0 if the goal is reached
	ReachedOn affiliate.Day   // since which the goal is reached; 0: it is not
	// Left is the number of days that are left, today among them. ADay is what each of them
	// must bring on average, of which Today was brought today. All are 0 if the goal is reached
	// or the month is over.
	Left        int
	ADay, Today decimal.Decimal
}

// adayDecimals is how many decimals of an amount by day are kept: as many as an amount of the
// exchange can have.
const adayDecimals = 18

// paceOf compares the amounts of days with a goal, on the day today.
func paceOf(amount decimal.Decimal, days affiliate.Days, today affiliate.Day, brought map[affiliate.Day]decimal.Decimal) Pace {
	p := Pace{Days: days, Amount: amount}
	var before decimal.Decimal // of the days that are over
	for day := days.First; day <= days.Last; day++ {
		if day == today {
			before, p.Today = p.Earned, brought[day]
		}
		p.Earned = p.Earned.Add(brought[day])
		switch reached := p.Earned.GreaterThanOrEqual(amount); {
		case !reached:
			p.ReachedOn = 0
		case p.ReachedOn == 0:
			p.ReachedOn = day
		}
	}
	if !p.Earned.IsNegative() { // less than nothing is no part of a goal
		p.Share = figures.QuotientOf(p.Earned, amount)
	}
	if p.ReachedOn != 0 || today > days.Last {
		p.Lacking = decimal.Max(decimal.Zero, amount.Sub(p.Earned))
		p.Today = decimal.Zero
		return p
	}
	p.Lacking = amount.Sub(p.Earned)
	p.Left = int(days.Last - max(today, days.First) + 1)
	left := decimal.NewFromInt(int64(p.Left))
	p.ADay = amount.Sub(before).DivRound(left, adayDecimals)
	if p.ADay.Mul(left).LessThan(amount.Sub(before)) {
		p.ADay = p.ADay.Add(decimal.New(1, -adayDecimals))
	}
	return p
}

// state returns how a goal stands. complete says that all days of the month that are over are
// collected.
func (p Pace) state(e forecast.Ending, complete bool) State {
	switch {
	case e.State == forecast.SpanAhead:
		return Ahead
	case p.ReachedOn != 0:
		return Reached
	case !complete || !e.Known() || !e.Estimate.Ranged():
		return Unknown
	case e.State == forecast.SpanOver:
		return Missed
	case e.Estimate.High.LessThan(p.Amount):
		return Behind
	case e.Estimate.Expected.LessThan(p.Amount):
		return Open
	}
	return OnPace
}
