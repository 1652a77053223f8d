package figures

import (
	"cmp"

	"github.com/shopspring/decimal"
)

// changePercent is by how many percent now differs from before, which is above
// zero: with one decimal, and with as many as its first digit takes where that
// would be zero. It is zero for equal amounts only.
func changePercent(now, before decimal.Decimal) decimal.Decimal {
	difference := now.Sub(before).Shift(2)
	percent := difference.DivRound(before, 1)
	for places := int32(2); percent.IsZero() && !difference.IsZero(); places++ {
		percent = difference.DivRound(before, places)
	}
	return percent
}

// Change is how a figure compares with its reference.
type Change struct {
	// Kind tells what can be said: "none" (no comparison asked), "unknown"
	// (the reference is not collected completely), "new" (growth from
	// zero), "same", "up", "down".
	Kind    ChangeKind
	Percent decimal.Decimal // of up and down: +12.5 or -3.1, see changePercent; zero where the reference is not above zero
	// Open tells that the range is not over while the compared period is: what
	// is down may still come up.
	Open bool
}

// ChangeKind is what can be said of a comparison.
type ChangeKind string

// The kinds of change.
const (
	ChangeNone    ChangeKind = "none"
	ChangeUnknown ChangeKind = "unknown"
	ChangeNew     ChangeKind = "new"
	ChangeSame    ChangeKind = "same"
	ChangeUp      ChangeKind = "up"
	ChangeDown    ChangeKind = "down"
)

// ChangeOf compares now with before, where before is fully known.
func ChangeOf(now, before decimal.Decimal) Change {
	switch now.Cmp(before) {
	case 0:
		return Change{Kind: ChangeSame}
	case 1:
		if !before.IsPositive() {
			return Change{Kind: ChangeNew}
		}
	case -1:
		if !before.IsPositive() {
			return Change{Kind: ChangeDown}
		}
	}
	percent := changePercent(now, before)
	if now.LessThan(before) {
		return Change{Kind: ChangeDown, Percent: percent}
	}
	return Change{Kind: ChangeUp, Percent: percent}
}

// Compare orders changes from what cannot be told over falls and growth to
// what is new.
func (c Change) Compare(o Change) int {
	rank := map[ChangeKind]int{ChangeDown: 1, ChangeSame: 2, ChangeUp: 3, ChangeNew: 4}
	return cmp.Or(cmp.Compare(rank[c.Kind], rank[o.Kind]), c.Percent.Cmp(o.Percent))
}
