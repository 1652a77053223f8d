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
	At     affiliate.Millis // when the price was sampled; the end of its day if it was imported
	Source string           // where it was read: "spot ticker"; who imported it when
	Symbol string           // the pair of the price; none if it was imported

	Imported bool // by somebody; a price of any kind but RateOwn can be
}

// RateKind is the source of a day's rate. A day that is over keeps its rate whatever is
// sampled later; prices that are imported for it, or an undoing of that, can change it unless it has
// its own.
type RateKind string

// Kinds of rates.
const (
	RateOwn      RateKind = "own"      // the last sample of the day; for the running day the newest, unless it is older than two hours
	RateImported RateKind = "imported" // imported for the day, which has no sample itself
	RateEarlier  RateKind = "earlier"  // the newest price from before the day, which has none itself
	RateFirst    RateKind = "first"    // the oldest price: the day precedes all of them
)

// DayAmounts are sums by coin and reporting day.
type DayAmounts map[affiliate.Coin]map[affiliate.Day]decimal.Decimal

// CommissionDays returns the commissions of the sums, over accounts, products and sources.
func CommissionDays(totals []sums.DaySums) DayAmounts {
	amounts := DayAmounts{}
	amounts.AddCommission(totals)
	return amounts
}

// AddCommission adds the commissions of the sums.
func (a DayAmounts) AddCommission(totals []sums.DaySums) {
	for _, s := range totals {
		if !s.Commission.Known() {
			continue
		}
		if a[s.Coin] == nil {
			a[s.Coin] = map[affiliate.Day]decimal.Decimal{}
		}
		a[s.Coin][s.Day] = a[s.Coin][s.Day].Add(s.Commission.Decimal())
	}
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

// Within returns the part of the valuation that is of some days, of the amounts of which it was made.
func (v Valuation) Within(days affiliate.Days, amounts DayAmounts) Valuation {
	var part Valuation
	sum := func(coin affiliate.Coin) (total affiliate.Amount, any bool) {
		total.Coin = coin
		for day, amount := range amounts[coin] {
			if days.Contains(day) {
				total.Value, any = total.Value.Add(amount), true
			}
		}
		return total, any
	}
	for _, coin := range v.Coins {
		total, any := sum(coin.Sum.Coin)
		if !any {
			continue
		}
		of := ValuedCoin{Sum: total}
		if coin.Sum.Coin == ValuedIn {
			of.Value = total.Value
		}
		for _, rate := range coin.Days {
			if days.Contains(rate.Day) {
				of.Days = append(of.Days, rate)
				of.Value = of.Value.Add(affiliate.Times(amounts[coin.Sum.Coin][rate.Day], rate.Price.Decimal()))
			}
		}
		part.Add(of)
	}
	for _, missing := range v.Missing {
		if total, any := sum(missing.Coin); any {
			part.Missing = append(part.Missing, total)
		}
	}
	part.Order()
	return part
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
