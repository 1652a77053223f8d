package figures

import (
	"cmp"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
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
	// (the reference is not collected completely), "same", "up", "down".
	Kind    ChangeKind
	Percent decimal.Decimal  // for up and down: +12.5 or -3.1, see changePercent; zero if there is none, see Relative
	By      affiliate.Amount // for up and down: the difference. Its coin is empty if the figure has none
	From    int              // the sign of the reference
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
	ChangeSame    ChangeKind = "same"
	ChangeUp      ChangeKind = "up"
	ChangeDown    ChangeKind = "down"
)

// PointChange is how a percentage compares with its reference, in percentage points.
type PointChange struct {
	Kind      ChangeKind // "none" also if the reference has no percentage
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
	c := PointChange{Points: percent(now).Sub(percent(before)), Reference: QuotientOf(before.Commission, before.Fee), Open: ref.Open}
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

// ChangeOf compares now with before, both of a coin or, if it is empty, without one; before must be
// fully known. A change from nothing, from a negative amount or to one is no percentage, but an
// amount.
func ChangeOf(coin affiliate.Coin, now, before decimal.Decimal) Change {
	c := Change{Kind: ChangeUp, By: affiliate.Amount{Value: now.Sub(before), Coin: coin}, From: before.Sign()}
	switch c.By.Value.Sign() {
	case 0:
		return Change{Kind: ChangeSame, From: c.From}
	case -1:
		c.Kind = ChangeDown
	}
	if before.IsPositive() && !now.IsNegative() {
		c.Percent = changePercent(now, before)
	}
	return c
}

// Relative reports whether the change has a percentage.
func (c Change) Relative() bool { return c.Kind == ChangeSame || !c.Percent.IsZero() }

// Compare orders changes: unknown ones first, then falls and growth. Those without a percentage are
// beyond all others of their direction.
func (c Change) Compare(o Change) int {
	rank := func(c Change) int {
		switch {
		case c.Kind == ChangeDown && !c.Relative():
			return 1
		case c.Kind == ChangeDown:
			return 2
		case c.Kind == ChangeSame:
			return 3
		case c.Kind == ChangeUp && c.Relative():
			return 4
		case c.Kind == ChangeUp:
			return 5
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(c), rank(o)), c.Percent.Cmp(o.Percent), c.By.Value.Cmp(o.By.Value))
}
