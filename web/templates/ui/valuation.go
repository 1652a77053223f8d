package ui

import (
	"rebatedesk/reports/figures"
)

// ReferenceWords names the rates at which the compared period was valued.
func ReferenceWords(v figures.Valuation) string {
	own, other := 0, 0
	for _, c := range v.Coins {
		n := len(c.Of(figures.RateOwn))
		own, other = own+n, other+len(c.Days)-n
	}
	switch {
	case own+other == 0:
		return ""
	case other == 0:
		return ", each at the prices of its own days"
	case own == 0:
		return ", at the nearest prices that are known"
	}
	return ", in part at the nearest prices that are known"
}

// incomparable explains why a converted total has no change although a comparison was
// requested and both periods are collected; it is empty if there is a change.
func incomparable(f figures.ValuedFigure) string {
	if f.Change.Kind != figures.ChangeUnknown || f.Comparable() {
		return ""
	}
	return "cannot be told: a coin of one of the periods has no price"
}
