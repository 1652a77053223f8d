package figures

import (
	"cmp"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
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

// Words are a change without its sign: "12.5 %", "0.01 %", "× 136", "from nearly
// nothing". Empty where nothing is compared, unknown, or without a percentage: the
// reference is zero or below.
func (c Change) Words() string {
	if c.Percent.IsZero() {
		return ""
	}
	if factor := c.Percent.Shift(-2).Add(decimal.NewFromInt(1)); isFactor(c.Percent) {
		return factorWords(factor)
	}
	return percentWords(c.Percent.Abs())
}

// Percent prints a percentage: with one decimal, and as a factor beyond 999.
func Percent(d decimal.Decimal) string {
	if isFactor(d) {
		return factorWords(d.Shift(-2))
	}
	return percentWords(d)
}

// What reads badly as a percentage.
var (
	mostPercent  = decimal.NewFromInt(999)
	leastPercent = decimal.New(1, -4)
	mostFactor   = decimal.New(1, 9) // what is more has no base to speak of
)

func isFactor(percent decimal.Decimal) bool { return percent.Abs().GreaterThan(mostPercent) }

// percentWords prints a percentage. A small one keeps its first digit instead of
// being rounded to zero.
func percentWords(d decimal.Decimal) string {
	switch {
	case d.IsZero() || !d.Round(1).IsZero():
		return affiliate.Grouped(d.StringFixed(1)) + "\u00a0%"
	case d.Abs().LessThan(leastPercent):
		return "<\u00a0" + leastPercent.String() + "\u00a0%"
	}
	places := int32(2)
	for d.Round(places).IsZero() {
		places++
	}
	return d.Round(places).String() + "\u00a0%"
}

// factorWords prints a factor: "× 136", "× 37 M". A factor too large to mean anything
// is "from nearly nothing".
func factorWords(f decimal.Decimal) string {
	thousand := decimal.NewFromInt(1000)
	rest, unit := f.Abs(), ""
	if rest.GreaterThanOrEqual(mostFactor) {
		return "from nearly nothing"
	}
	for _, next := range []string{"\u00a0k", "\u00a0M"} {
		if rest.Round(0).LessThan(decimal.NewFromInt(10_000)) && unit == "" || rest.Round(0).LessThan(thousand) {
			break
		}
		rest, unit = rest.Div(thousand), next
	}
	text := affiliate.Grouped(rest.Round(0).String()) + unit
	if f.IsNegative() {
		text = "-" + text
	}
	return "×\u00a0" + text
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
