package simulator

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
)

// debt is what is owed for a day in one coin.
type debt struct {
	debtKey
	amount decimal.Decimal
}

type debtKey struct {
	coin     affiliate.Coin
	business string
}

func businessOf(source affiliate.Source) string {
	if source == affiliate.SubAgent {
		return "rake_back_reward"
	}
	return "rr_agent_reward"
}

// tally adds up units of 10^-12 beyond 64 bits.
type tally struct{ high, low uint64 }

func (t *tally) add(units int64) {
	var carry uint64
	t.low, carry = bits.Add64(t.low, uint64(units), 0)
	t.high += carry
}

// decimal is the sum.
func (t tally) decimal() decimal.Decimal {
	const half = 1 << 32
	low := decimal.NewFromUint64(t.low)
	high := decimal.NewFromUint64(t.high).Mul(decimal.NewFromInt(half)).Mul(decimal.NewFromInt(half))
	return high.Add(low).Shift(-commissionDecimals)
}

// owed are the commissions of a UTC day, the coins in a fixed order. Those that
// are not listed yet count as well: the exchange knows its trades.
func (l *ledger) owed(d affiliate.Day, unlisted []row) []debt {
	sums := map[debtKey]*tally{}
	more := map[debtKey]decimal.Decimal{}
	of := func(key debtKey) *tally {
		if sums[key] == nil {
			sums[key] = &tally{}
		}
		return sums[key]
	}
	from, to := int64(d)*day, int64(d+1)*day
	for _, product := range products(l.rows) {
		all := l.rows[product]
		for _, r := range all[place(all, from-1, rowTime):place(all, to-1, rowTime)] {
			if c := r.custom; c != nil {
				// What a test inserted need not be a number.
				if n, err := affiliate.ParseNumber(string(c.Commission)); err == nil {
					key := debtKey{c.Coin, businessOf(c.Source)}
					more[key] = more[key].Add(n.Decimal())
				}
				continue
			}
			of(l.debtKey(r)).add(r.fee * int64(r.rate))
		}
	}
	for _, r := range unlisted {
		of(l.debtKey(r)).add(r.fee * int64(r.rate))
	}
	for key, sum := range sums {
		more[key] = more[key].Add(sum.decimal())
	}
	var all []debt
	for key, amount := range more {
		if amount.IsPositive() && market.CoinNamed(key.coin) != nil {
			all = append(all, debt{key, amount})
		}
	}
	slices.SortFunc(all, func(a, b debt) int {
		return strings.Compare(string(a.coin)+a.business, string(b.coin)+b.business)
	})
	return all
}

func (l *ledger) debtKey(r row) debtKey {
	return debtKey{pairs[r.pair].coin, businessOf(l.programme.traders[r.who].source())}
}
