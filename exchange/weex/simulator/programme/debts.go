package programme

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/market"
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

// amounts adds up amounts by a key.
type amounts[K comparable] struct {
	records map[K]*tally
	custom  map[K]decimal.Decimal // of values that a test inserted
}

func newAmounts[K comparable]() amounts[K] {
	return amounts[K]{map[K]*tally{}, map[K]decimal.Decimal{}}
}

// add adds the commission of a row. A value inserted by a test need not be a number.
func (a amounts[K]) add(key K, r TradeRow) {
	if c := r.Custom; c != nil {
		if n, err := affiliate.ParseNumber(string(c.Commission)); err == nil {
			a.custom[key] = a.custom[key].Add(n.Decimal())
		}
		return
	}
	if a.records[key] == nil {
		a.records[key] = &tally{}
	}
	a.records[key].add(r.Fee * int64(r.rate))
}

// sums returns the amounts that are not zero.
func (a amounts[K]) sums() map[K]decimal.Decimal {
	all := a.custom
	for key, sum := range a.records {
		all[key] = all[key].Add(sum.decimal())
	}
	maps.DeleteFunc(all, func(_ K, sum decimal.Decimal) bool { return sum.IsZero() })
	return all
}

// Owed returns the commissions from one instant until before another (ms), with the coins in
// a fixed order. Commissions that are not listed yet count as well, because the exchange
// knows its trades.
func (l *Records) Owed(from, to int64, unlisted []TradeRow) []Debt {
	sums := newAmounts[debtKey]()
	for _, product := range products(l.Rows) {
		all := l.Rows[product]
		for _, r := range all[IndexAfter(all, from-1, RowTime):IndexAfter(all, to-1, RowTime)] {
			sums.add(l.debtKey(r), r)
		}
	}
	for _, r := range unlisted {
		sums.add(l.debtKey(r), r)
	}
	var all []Debt
	for key, amount := range sums.sums() {
		if amount.IsPositive() && market.CoinNamed(key.Coin) != nil {
			all = append(all, Debt{key, amount})
		}
	}
	slices.SortFunc(all, Debt.compare)
	return all
}

func (d Debt) compare(o Debt) int {
	return strings.Compare(string(d.Coin)+d.Business, string(o.Coin)+o.Business)
}

// Earned returns the listed commissions of every period, given how the start of the period
// of an instant is found (ms). Unlike [Records.Owed] it returns amounts that are never paid
// as well: those below zero, and those in coins that the exchange does not list.
func (l *Records) Earned(start func(at int64) int64) map[int64][]Debt {
	type key struct {
		from int64
		debt debtKey
	}
	sums := newAmounts[key]()
	for _, all := range l.Rows {
		for _, r := range all {
			sums.add(key{start(r.At), l.debtKey(r)}, r)
		}
	}
	periods := map[int64][]Debt{}
	for key, amount := range sums.sums() {
		periods[key.from] = append(periods[key.from], Debt{key.debt, amount})
	}
	for _, debts := range periods {
		slices.SortFunc(debts, Debt.compare)
	}
	return periods
}

func (l *Records) debtKey(r TradeRow) debtKey {
	if c := r.Custom; c != nil {
		return debtKey{c.Coin, businessOf(c.Source)}
	}
	return debtKey{pairs[r.pair].coin, businessOf(l.programme.traders[r.who].source())}
}
