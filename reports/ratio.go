package reports

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Ratio is a percentage with one decimal, where it can be told.
type Ratio struct {
	Percent decimal.Decimal
	Known   bool
}

// value is the percentage, where it is known.
func (r Ratio) value() (decimal.Decimal, bool) { return r.Percent, r.Known }

func ratio(percent decimal.Decimal, known bool) Ratio { return Ratio{percent, known} }

// percentOf is what percentage of a whole a part is, with one decimal.
func percentOf(part, whole affiliate.Number) (decimal.Decimal, bool) {
	if !part.Known() || !whole.Known() || !whole.Decimal().IsPositive() {
		return decimal.Decimal{}, false
	}
	return part.Decimal().Shift(2).DivRound(whole.Decimal(), 1), true
}

// shareOf is a part of a whole in percent with one decimal; unknown where the
// whole is nothing to be a part of.
func shareOf(part, whole decimal.Decimal) Ratio {
	if !whole.IsPositive() {
		return Ratio{}
	}
	return Ratio{Percent: part.Shift(2).DivRound(whole, 1), Known: true}
}

func shareOfCount(part, whole int64) Ratio {
	return shareOf(decimal.NewFromInt(part), decimal.NewFromInt(whole))
}

// fractionDigits are more than any rate of the exchange has.
const fractionDigits = 10

func fraction(a, b decimal.Decimal) (decimal.Decimal, bool) {
	if b.IsZero() {
		return decimal.Decimal{}, false
	}
	return a.DivRound(b, fractionDigits), true
}

func (r Ratio) compare(o Ratio) int {
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
