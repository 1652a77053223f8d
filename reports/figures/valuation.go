package figures

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// ValuedIn is the coin to which amounts of all coins are converted. It is worth 1 of itself
// by definition; no rate is taken for it.
const ValuedIn affiliate.Coin = "USDT"

// Valuation is the sum of amounts of several coins, converted to [ValuedIn]. The amount of
// each reporting day is converted at the rate of that day, by [affiliate.Times]; see [RateKind]. Amounts of
// different coins are added nowhere else, and the rates used are listed.
type Valuation struct {
	Total decimal.Decimal // in ValuedIn; the exact sum of the converted coins
	Coins []ValuedCoin    // coins that have a rate, or need none; largest value first
	// Missing holds the sums of the coins without any rate, by coin. They are not part of
	// Total.
	Missing []affiliate.Amount
}

// Known reports whether a converted total exists: at least one coin was converted. It is
// false if no rate is known, or if the only coin is [ValuedIn] itself.
func (v Valuation) Known() bool {
	return slices.ContainsFunc(v.Coins, func(c ValuedCoin) bool { return len(c.Days) > 0 })
}

// Amount returns the total with its coin.
func (v Valuation) Amount() affiliate.Amount {
	return affiliate.Amount{Value: v.Total, Coin: ValuedIn}
}

// Whole returns the converted coins as the parts of the total.
func (v Valuation) Whole() (w Portions) {
	for _, c := range v.Coins {
		w.Add(c.Value)
	}
	return w
}

// ValuedCoin is one coin of a valuation.
type ValuedCoin struct {
	Sum   affiliate.Amount // exact, over all days
	Value decimal.Decimal  // in ValuedIn; the exact sum of the converted days
	Days  []DayRate        // for each day with a non-zero amount, oldest first; none for ValuedIn itself
}

// DayRate is the rate used for a reporting day.
type DayRate struct {
	Day    affiliate.Day
	Kind   RateKind
	Price  affiliate.Number // of one coin, in ValuedIn
	At     affiliate.Millis // when the price was sampled
	Source string           // where it was read: "spot ticker"
	Symbol string           // the pair of the price
}

// RateKind is the source of a day's rate. A day that is over keeps its rate whatever is
// sampled later.
type RateKind string

// Kinds of rates.
const (
	RateOwn     RateKind = "own"     // the last sample of the day; for the running day the newest, unless it is older than two hours
	RateEarlier RateKind = "earlier" // the newest sample from before the day, which has no sample itself
	RateFirst   RateKind = "first"   // the oldest sample: the day precedes all samples
)

// DayAmounts are sums by coin and reporting day.
type DayAmounts map[affiliate.Coin]map[affiliate.Day]decimal.Decimal

// CommissionDays returns the commissions of the sums, over accounts, products and sources.
func CommissionDays(totals []sums.DaySums) DayAmounts {
	amounts := DayAmounts{}
	for _, s := range totals {
		if !s.Commission.Known() {
			continue
		}
		if amounts[s.Coin] == nil {
			amounts[s.Coin] = map[affiliate.Day]decimal.Decimal{}
		}
		amounts[s.Coin][s.Day] = amounts[s.Coin][s.Day].Add(s.Commission.Decimal())
	}
	return amounts
}

// ByDay converts the amounts of which the valuation was made, and adds them up by day. Coins
// without a rate are left out, as they are of the total: the days add up to it.
func (v Valuation) ByDay(amounts DayAmounts) map[affiliate.Day]decimal.Decimal {
	byDay := map[affiliate.Day]decimal.Decimal{}
	for _, coin := range v.Coins {
		of := amounts[coin.Sum.Coin]
		for _, rate := range coin.Days {
			byDay[rate.Day] = byDay[rate.Day].Add(affiliate.Times(of[rate.Day], rate.Price.Decimal()))
		}
		if coin.Sum.Coin == ValuedIn {
			for day, amount := range of {
				byDay[day] = byDay[day].Add(amount)
			}
		}
	}
	return byDay
}

// Add adds a converted coin.
func (v *Valuation) Add(coin ValuedCoin) {
	v.Coins = append(v.Coins, coin)
	v.Total = v.Total.Add(coin.Value)
}

// Order puts the coin of largest value first.
func (v *Valuation) Order() {
	slices.SortFunc(v.Coins, func(a, b ValuedCoin) int {
		return cmp.Or(b.Value.Cmp(a.Value), cmp.Compare(a.Sum.Coin, b.Sum.Coin))
	})
	slices.SortFunc(v.Missing, func(a, b affiliate.Amount) int { return cmp.Compare(a.Coin, b.Coin) })
}
