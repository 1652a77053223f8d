package figures

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Prices are today's prices by coin, for the coins that have one.
type Prices map[affiliate.Coin]Price

// String lists the coins with their prices, in order. Equal prices give equal texts.
func (p Prices) String() string {
	var list []string
	for _, coin := range slices.Sorted(maps.Keys(p)) {
		list = append(list, string(coin)+"="+p[coin].Decimal.String())
	}
	return strings.Join(list, " ")
}

// Price is the price of one coin in [ValuedIn].
type Price struct {
	decimal.Decimal          // used for thresholds and sorting
	Rate            *DayRate // used to convert amounts; nil: none
}

// Matters reports whether an amount, positive or negative, is large enough to look at. An
// amount without a price matters unless it is zero.
func (p Prices) Matters(amount decimal.Decimal, coin affiliate.Coin) bool {
	price, known := p[coin]
	if !known {
		return !amount.IsZero()
	}
	return amount.Abs().Mul(price.Decimal).GreaterThanOrEqual(decimal.NewFromInt(leastWorth))
}

// Worth converts amounts, each in a different coin, at today's rates.
func (p Prices) Worth(amounts ...affiliate.Amount) Valuation {
	var v Valuation
	for _, amount := range amounts {
		rate := p[amount.Coin].Rate
		switch {
		case amount.Coin == ValuedIn:
			v.Add(ValuedCoin{Sum: amount, Value: amount.Value})
		case rate != nil:
			v.Add(ValuedCoin{Sum: amount, Value: affiliate.Times(amount.Value, rate.Price.Decimal()), Days: []DayRate{*rate}})
		default:
			v.Missing = append(v.Missing, amount)
		}
	}
	v.Order()
	return v
}

// leastWorth is the smallest change that matters, in [ValuedIn] or its equivalent in
// another coin: below it, a look costs more than it saves.
const leastWorth = 10
