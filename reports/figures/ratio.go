package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Ratio is a percentage with one decimal, if it is known.
type Ratio struct {
	Percent decimal.Decimal
	Known   bool
	// OfPositive says that it is a share of the positive parts of a whole that has negative parts
	// too, see [Portions.Share].
	OfPositive bool
}

// Value returns the percentage, if it is known.
func (r Ratio) Value() (decimal.Decimal, bool) { return r.Percent, r.Known }

// RatioOf returns a percentage, or an unknown one.
func RatioOf(percent decimal.Decimal, known bool) Ratio { return Ratio{Percent: percent, Known: known} }

// PercentOf is [QuotientOf] for numbers that may be unknown.
func PercentOf(part, whole affiliate.Number) (decimal.Decimal, bool) {
	if !part.Known() || !whole.Known() || !whole.Decimal().IsPositive() {
		return decimal.Decimal{}, false
	}
	return part.Decimal().Shift(2).DivRound(whole.Decimal(), 1), true
}

// QuotientOf returns an amount as a percentage of another that is no sum of which it is a part,
// such as commission of fees, with one decimal. It is unknown if the other is not positive.
func QuotientOf(amount, other decimal.Decimal) Ratio {
	if !other.IsPositive() {
		return Ratio{}
	}
	return Ratio{Percent: amount.Shift(2).DivRound(other, 1), Known: true}
}

// Portions is what shares are of: the parts of a sum, added up by their sign.
type Portions struct{ positive, negative affiliate.Sum }

// PortionsOf returns the whole of some parts.
func PortionsOf(parts ...decimal.Decimal) (w Portions) {
	for _, part := range parts {
		w.Add(part)
	}
	return w
}

// Add adds a part.
func (w *Portions) Add(part decimal.Decimal) {
	if part.IsNegative() {
		w.negative.AddDecimal(part)
	} else {
		w.positive.AddDecimal(part)
	}
}

func (w *Portions) addSum(part affiliate.Sum) {
	if part.Cmp(new(affiliate.Sum)) < 0 {
		w.negative.AddSum(part)
	} else {
		w.positive.AddSum(part)
	}
}

// Mixed reports whether parts have both signs.
func (w Portions) Mixed() bool { return w.some(&w.positive) && w.some(&w.negative) }

func (w Portions) some(sum *affiliate.Sum) bool { return !sum.Decimal().IsZero() }

// Share returns the share of a part in percent, with one decimal. Only parts of one sign are
// shares of their sum: 100, 50 and -120 would be 333 %, 167 % and -400 % of 30. If parts have
// both signs, a positive one has its share of the positive parts, and a negative one has none.
// There is none of nothing either.
func (w Portions) Share(part decimal.Decimal) Ratio {
	whole := w.positive.Decimal()
	if !w.some(&w.positive) {
		whole = w.negative.Decimal()
	}
	if whole.IsZero() || whole.Sign() == -part.Sign() && !part.IsZero() {
		return Ratio{}
	}
	return Ratio{Percent: part.Shift(2).DivRound(whole, 1), Known: true, OfPositive: w.Mixed()}
}

// ShareOfRest returns the share of several parts together, or none if they have both signs: their
// sum is no part of the whole.
func (w Portions) ShareOfRest(rest Portions) Ratio {
	if rest.Mixed() {
		return Ratio{}
	}
	return w.Share(rest.Sum())
}

// Sum returns the sum of all parts.
func (w Portions) Sum() decimal.Decimal { return w.positive.Decimal().Add(w.negative.Decimal()) }

// ShareOfCount returns a part of a number of people or records in percent, with one decimal. It is
// unknown if there are none.
func ShareOfCount(part, whole int64) Ratio {
	return QuotientOf(decimal.NewFromInt(part), decimal.NewFromInt(whole))
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
