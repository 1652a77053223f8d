package reports

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// prices are what one of a coin is worth today, of those that have a price.
type prices map[affiliate.Coin]price

// price is that of one coin in [ValuedIn].
type price struct {
	decimal.Decimal          // what thresholds and the order go by
	rate            *DayRate // what amounts are converted by; nil: by none
}

// matters reports whether an amount, whichever its sign, is worth looking at.
// One whose worth nobody knows may be.
func (p prices) matters(amount decimal.Decimal, coin affiliate.Coin) bool {
	price, known := p[coin]
	if !known {
		return !amount.IsZero()
	}
	return amount.Abs().Mul(price.Decimal).GreaterThanOrEqual(decimal.NewFromInt(leastWorth))
}

// worth converts amounts, each of another coin, at the rates of today.
func (p prices) worth(amounts ...affiliate.Amount) Valuation {
	var v Valuation
	for _, amount := range amounts {
		rate := p[amount.Coin].rate
		switch {
		case amount.Coin == ValuedIn:
			v.add(ValuedCoin{Sum: amount, Value: amount.Value})
		case rate != nil:
			v.add(ValuedCoin{Sum: amount, Value: amount.Value.Mul(rate.Price.Decimal()), Days: []DayRate{*rate}})
		default:
			v.Missing = append(v.Missing, amount)
		}
	}
	v.order()
	return v
}

// leastWorth, in [ValuedIn] or what another coin is worth in it, is the least that
// a change must amount to: below it, looking costs more than it saves.
const leastWorth = 10
