package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Ratio is a percentage with one decimal, if it is known.
type Ratio struct {
	Percent decimal.Decimal
	Known   bool
}

// Value returns the percentage, if it is known.
func (r Ratio) Value() (decimal.Decimal, bool) { return r.Percent, r.Known }

// RatioOf returns a percentage, or an unknown one.
func RatioOf(percent decimal.Decimal, known bool) Ratio { return Ratio{percent, known} }

// PercentOf returns a part as a percentage of a whole, with one decimal.
func PercentOf(part, whole affiliate.Number) (decimal.Decimal, bool) {
	if !part.Known() || !whole.Known() || !whole.Decimal().IsPositive() {
		return decimal.Decimal{}, false
	}
	return part.Decimal().Shift(2).DivRound(whole.Decimal(), 1), true
}

// ShareOf returns a part as a percentage of a whole, with one decimal. It is unknown if the
// whole is not positive.
func ShareOf(part, whole decimal.Decimal) Ratio {
	if !whole.IsPositive() {
		return Ratio{}
	}
	return Ratio{Percent: part.Shift(2).DivRound(whole, 1), Known: true}
}

// ShareOfCount is [ShareOf] for counts.
func ShareOfCount(part, whole int64) Ratio {
	return ShareOf(decimal.NewFromInt(part), decimal.NewFromInt(whole))
}

// FractionDigits is more decimals than any rate of the exchange has.
const FractionDigits = 10

// Fraction returns a divided by b, or false if b is zero.
func Fraction(a, b decimal.Decimal) (decimal.Decimal, bool) {
	if b.IsZero() {
		return decimal.Decimal{}, false
	}
	return a.DivRound(b, FractionDigits), true
}

// Compare orders ratios; unknown ones come first.
func (r Ratio) Compare(o Ratio) int {
	switch {
	case r.Known && o.Known:
		return r.Percent.Cmp(o.Percent)
	case r.Known:
		return 1
	case o.Known:
		return -1
	}
	return 0
}
