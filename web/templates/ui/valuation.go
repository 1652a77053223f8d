package ui

import (
	"rebatedesk/reports/figures"
)

// ReferenceWords names the rates at which the compared period was valued.
func ReferenceWords(v figures.Valuation) string {
	own, imported, other := 0, 0, 0
	for _, c := range v.Coins {
		of, by := len(c.Of(figures.RateOwn)), len(c.Of(figures.RateImported))
		own, imported, other = own+of, imported+by, other+len(c.Days)-of-by
	}
	switch {
	case own+imported+other == 0:
		return ""
	case other == 0 && imported == 0:
		return ", each at the prices of its own days"
	case other == 0:
		return ", each at the prices of its own days, in part imported ones"
	case own+imported == 0:
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
