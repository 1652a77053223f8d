package figures

import (
	"cmp"
	"slices"

	"rebatedesk/affiliate"
)

// RateSpan summarises the rates of a coin: the lowest, the highest, and the number of
// different rates. If that number is one, lowest and highest are equal.
type RateSpan struct {
	Low, High, Newest DayRate
	Count             int
}

// Span summarises the coin's rates. A coin without rates has the zero RateSpan.
func (c ValuedCoin) Span() RateSpan {
	if len(c.Days) == 0 {
		return RateSpan{}
	}
	byPrice := func(a, b DayRate) int { return cmp.Or(a.Price.Cmp(b.Price), cmp.Compare(b.At, a.At)) }
	used := map[affiliate.Millis]bool{}
	for _, d := range c.Days {
		used[d.At] = true
	}
	return RateSpan{
		Low: slices.MinFunc(c.Days, byPrice), High: slices.MaxFunc(c.Days, byPrice),
		Newest: slices.MaxFunc(c.Days, func(a, b DayRate) int { return cmp.Compare(a.At, b.At) }),
		Count:  len(used),
	}
}

// Of lists the days that were valued by a rate of the given kind.
func (c ValuedCoin) Of(kind RateKind) []affiliate.Day {
	var days []affiliate.Day
	for _, d := range c.Days {
		if d.Kind == kind {
			days = append(days, d.Day)
		}
	}
	return days
}

// ValuedFigure compares a valuation with that of the compared period. Each day of
// either is converted at its own rate.
type ValuedFigure struct {
	Valuation
	Reference Valuation // meaningful if a comparison was requested
	// Change is unknown if the reference is not collected completely, or if a coin of
	// either period has no rate: see Comparable.
	Change Change
}

// Comparable reports whether every coin of both periods has a rate.
func (f ValuedFigure) Comparable() bool {
	return len(f.Missing) == 0 && len(f.Reference.Missing) == 0
}
