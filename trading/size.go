package trading

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// QuantityWorth returns the largest multiple of a step that is worth at most a value at a
// price. It is unknown if one of them is unknown or not positive.
func QuantityWorth(value, price, step affiliate.Number) affiliate.Number {
	if !above0(value) || !above0(price) || !above0(step) {
		return ""
	}
	count, _ := value.Decimal().QuoRem(price.Decimal().Mul(step.Decimal()), 0)
	return number(count.Mul(step.Decimal()))
}

// PartOf returns a percentage of an amount, exactly. It is unknown if one of them is unknown.
func PartOf(amount, percent affiliate.Number) affiliate.Number {
	if !amount.Known() || !percent.Known() {
		return ""
	}
	return number(amount.Decimal().Mul(percent.Decimal()).Shift(-2))
}

// ValueOf returns price times quantity, exactly. It is unknown if one of them is unknown.
func ValueOf(price, quantity affiliate.Number) affiliate.Number {
	if !price.Known() || !quantity.Known() {
		return ""
	}
	return number(price.Decimal().Mul(quantity.Decimal()))
}

// NearestMultiple returns the multiple of a step that is nearest to a value, the larger one of
// two, and at least one step. It is unknown if one of them is unknown or not positive.
func NearestMultiple(value, step affiliate.Number) affiliate.Number {
	if !above0(value) || !above0(step) {
		return ""
	}
	s := step.Decimal()
	down := floorTo(value.Decimal(), s)
	if value.Decimal().Sub(down).Mul(decimal.NewFromInt(2)).GreaterThanOrEqual(s) {
		down = down.Add(s)
	}
	return number(decimal.Max(down, s))
}

// PercentAway returns how far a price is from the last one, in percent of the last one, with
// two decimals and its sign. It is unknown if one of them is unknown, or the last one is not
// positive.
func PercentAway(price, last affiliate.Number) affiliate.Number {
	if !price.Known() || !above0(last) {
		return ""
	}
	return number(price.Decimal().Sub(last.Decimal()).Shift(2).DivRound(last.Decimal(), 2))
}

// WorstPrice returns the price to which a market order to buy may run: the last price and the
// ratio of the pair by which it may go beyond it. It is unknown if one of them is unknown.
func WorstPrice(last, ratio affiliate.Number) affiliate.Number {
	if !last.Known() || !ratio.Known() {
		return ""
	}
	return number(last.Decimal().Add(last.Decimal().Mul(ratio.Decimal())))
}

// FreeOf returns what is left of an amount after what is held of it. It is unknown if one of them
// is unknown, or if more is held than there is: they were not read at the same time.
func FreeOf(there, held affiliate.Number) affiliate.Number {
	if !there.Known() || !held.Known() || held.Cmp(there) > 0 {
		return ""
	}
	return number(there.Decimal().Sub(held.Decimal()))
}
