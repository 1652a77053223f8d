package programme

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
)

// Debt is the amount owed for some time in one coin.
type Debt struct {
	debtKey
	Amount decimal.Decimal
}

type debtKey struct {
	Coin     affiliate.Coin
	Business string
}

// Types of the bills by which commissions are paid (4.14).
const (
	DirectReward = "rr_agent_reward"  // for direct clients
	SubReward    = "rake_back_reward" // for those of sub-agents
)

func businessOf(source affiliate.Source) string {
	if source == affiliate.SubAgent {
		return SubReward
	}
	return DirectReward
}

// tally adds up units of 10^-12 beyond 64 bits.
type tally struct{ high, low uint64 }

func (t *tally) add(units int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(units), 0)
	t.high += carry
}

// decimal returns the sum.
func (t tally) decimal() decimal.Decimal {
	const half = 1 << 32
	low := decimal.NewFromUint64(t.low)
	high := decimal.NewFromUint64(t.high).Mul(decimal.NewFromInt(half)).Mul(decimal.NewFromInt(half))
	return high.Add(low).Shift(-commissionDecimals)
}

// Owed returns the commissions from one instant until before another (ms), with the coins in
// a fixed order. Commissions that are not listed yet count as well, because the exchange
// knows its trades.
func (l *Records) Owed(from, to int64, unlisted []TradeRow) []Debt {
	sums := map[debtKey]*tally{}
	more := map[debtKey]decimal.Decimal{}
	of := func(key debtKey) *tally {
		if sums[key] == nil {
			sums[key] = &tally{}
		}
		return sums[key]
	}
	for _, product := range products(l.Rows) {
		all := l.Rows[product]
		for _, r := range all[IndexAfter(all, from-1, RowTime):IndexAfter(all, to-1, RowTime)] {
			if c := r.Custom; c != nil {
				// A value inserted by a test need not be a number.
				if n, err := affiliate.ParseNumber(string(c.Commission)); err == nil {
					key := debtKey{c.Coin, businessOf(c.Source)}
					more[key] = more[key].Add(n.Decimal())
				}
				continue
			}
			of(l.debtKey(r)).add(r.Fee * int64(r.rate))
		}
	}
	for _, r := range unlisted {
		of(l.debtKey(r)).add(r.Fee * int64(r.rate))
	}
	for key, sum := range sums {
		more[key] = more[key].Add(sum.decimal())
	}
	var all []Debt
	for key, amount := range more {
		if amount.IsPositive() && market.CoinNamed(key.Coin) != nil {
			all = append(all, Debt{key, amount})
		}
	}
	slices.SortFunc(all, func(a, b Debt) int {
		return strings.Compare(string(a.Coin)+a.Business, string(b.Coin)+b.Business)
	})
	return all
}

func (l *Records) debtKey(r TradeRow) debtKey {
	return debtKey{pairs[r.pair].coin, businessOf(l.programme.traders[r.who].source())}
}
