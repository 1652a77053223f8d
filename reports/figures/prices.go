package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Prices are what one of a coin is worth today, of those that have a price.
type Prices map[affiliate.Coin]Price

// Price is that of one coin in [ValuedIn].
type Price struct {
	decimal.Decimal          // what thresholds and the order go by
	Rate            *DayRate // what amounts are converted by; nil: by none
}

// Matters reports whether an amount, positive or negative, is large enough to look
// at. An amount without a price is, unless it is zero.
func (p Prices) Matters(amount decimal.Decimal, coin affiliate.Coin) bool {
	price, known := p[coin]
	if !known {
		return !amount.IsZero()
	}
	return amount.Abs().Mul(price.Decimal).GreaterThanOrEqual(decimal.NewFromInt(leastWorth))
}

// Worth converts amounts, each of another coin, at the rates of today.
func (p Prices) Worth(amounts ...affiliate.Amount) Valuation {
	var v Valuation
	for _, amount := range amounts {
		rate := p[amount.Coin].Rate
		switch {
		case amount.Coin == ValuedIn:
			v.Add(ValuedCoin{Sum: amount, Value: amount.Value})
		case rate != nil:
			v.Add(ValuedCoin{Sum: amount, Value: amount.Value.Mul(rate.Price.Decimal()), Days: []DayRate{*rate}})
		default:
			v.Missing = append(v.Missing, amount)
		}
	}
	v.Order()
	return v
}

// leastWorth, in [ValuedIn] or what another coin is worth in it, is the least that
// a change must amount to: below it, looking costs more than it saves.
const leastWorth = 10
