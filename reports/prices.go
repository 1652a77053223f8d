package reports

import (
	"context"

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

// prices are those of today. A stablecoin without a rate is near enough to one for
// a threshold, and is converted nowhere.
func (q *question) prices(ctx context.Context, coins []affiliate.Coin) (prices, error) {
	today, known := affiliate.DayOf(q.now, q.Zone), prices{}
	for _, coin := range coins {
		if coin.Stable() {
			known[coin] = price{Decimal: decimal.NewFromInt(1)}
		}
		if coin == ValuedIn {
			continue
		}
		rates, err := q.dayRates(ctx, coin, []affiliate.Day{today})
		if err != nil {
			return nil, err
		}
		if len(rates) > 0 {
			known[coin] = price{rates[0].Price.Decimal(), &rates[0]}
		}
	}
	return known, nil
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
