package figures

import (
	"cmp"

	"github.com/shopspring/decimal"
)

// changePercent returns by how many percent now differs from before, which is above zero.
// It has one decimal, or enough decimals for its first digit if one would give zero. It is
// zero only for equal amounts.
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
	// Kind is the result of the comparison: "none" (no comparison requested), "unknown"
	// (the reference is not collected completely), "new" (growth from zero), "same", "up",
	// "down".
	Kind    ChangeKind
	Percent decimal.Decimal // for up and down: +12.5 or -3.1, see changePercent; zero if the reference is not above zero
	// Open says that the range is not over while the compared period is: a decrease may
	// still recover.
	Open bool
}

// ChangeKind is the result of a comparison.
type ChangeKind string

// Kinds of change.
const (
	ChangeNone    ChangeKind = "none"
	ChangeUnknown ChangeKind = "unknown"
	ChangeNew     ChangeKind = "new"
	ChangeSame    ChangeKind = "same"
	ChangeUp      ChangeKind = "up"
	ChangeDown    ChangeKind = "down"
)

// PointChange is how a percentage compares with its reference, in percentage points.
type PointChange struct {
	Kind      ChangeKind // never "new"; "none" also if the reference has no percentage
	Points    decimal.Decimal
	Reference Ratio
	Open      bool // as in [Change]
}

// sharePoints compares the share of fees of a coin with that of the compared period.
func (ref Reference) sharePoints(now Totals) PointChange {
	before := ref.Totals[now.Coin]
	switch {
	case !ref.Asked || !now.Fee.IsPositive() || ref.Known && !before.Fee.IsPositive():
		return PointChange{Kind: ChangeNone}
	case !ref.Known:
		return PointChange{Kind: ChangeUnknown}
	}
	percent := func(t Totals) decimal.Decimal { return t.Commission.Shift(2).DivRound(t.Fee, FractionDigits) }
	c := PointChange{Points: percent(now).Sub(percent(before)), Reference: ShareOf(before.Commission, before.Fee), Open: ref.Open}
	switch c.Points.Sign() {
	case 0:
		c.Kind = ChangeSame
	case 1:
		c.Kind = ChangeUp
	default:
		c.Kind = ChangeDown
	}
	return c
}

// ChangeOf compares now with before, if before is fully known.
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

// Compare orders changes: unknown ones first, then falls and growth, then new ones.
func (c Change) Compare(o Change) int {
	rank := map[ChangeKind]int{ChangeDown: 1, ChangeSame: 2, ChangeUp: 3, ChangeNew: 4}
	return cmp.Or(cmp.Compare(rank[c.Kind], rank[o.Kind]), c.Percent.Cmp(o.Percent))
}
