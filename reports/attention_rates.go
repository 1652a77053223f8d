package reports

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// RateFinding is that invitees bring another share of their fees than before.
type RateFinding struct {
	Coin  affiliate.Coin
	Cost  decimal.Decimal // of all of them so far; negative where they bring more
	Count int
	Most  []RateChange // the most costly, or rewarding, first; at most five
}

// RateChange is the effective rate of one invitee and product: commission of
// the net fees.
type RateChange struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Product  affiliate.Product
	Old, New decimal.Decimal // fractions
	Since    affiliate.Day   // the first day with the new rate
	Cost     decimal.Decimal // (old rate − new rate) × fee since then
}

// Severity warns of what costs; what brings more is worth knowing.
func (f RateFinding) Severity() Severity {
	if slices.ContainsFunc(f.Most, func(c RateChange) bool { return c.Cost.IsPositive() }) {
		return SeverityWarning
	}
	return SeverityInfo
}

// rates compares the last days with those before. It looks more closely at the
// most costly differences only.
func (w *watch) rates(ctx context.Context) ([]Finding, error) {
	hints, err := w.rateHints(ctx)
	if err != nil {
		return nil, err
	}
	changes := map[affiliate.Coin][]RateChange{}
	var coins []affiliate.Coin
	for _, h := range hints {
		change, ok, err := w.rateChange(ctx, h)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if changes[h.coin] == nil {
			coins = append(coins, h.coin)
		}
		changes[h.coin] = append(changes[h.coin], change)
	}
	var found []Finding
	for _, coin := range coins {
		found = append(found, rateFinding(coin, changes[coin]))
	}
	return found, nil
}

func rateFinding(coin affiliate.Coin, changes []RateChange) RateFinding {
	f := RateFinding{Coin: coin, Count: len(changes)}
	for _, c := range changes {
		f.Cost = f.Cost.Add(c.Cost)
	}
	slices.SortStableFunc(changes, func(a, b RateChange) int { return b.Cost.Abs().Cmp(a.Cost.Abs()) })
	f.Most = changes[:min(len(changes), attentionNames)]
	return f
}

// rateKey is whose rate it is.
type rateKey struct {
	store.InviteeKey
	product affiliate.Product
	coin    affiliate.Coin
}

// rateDifference is one between two stretches of days.
type rateDifference struct {
	rateKey
	old, new decimal.Decimal
	cost     decimal.Decimal
}

// rateHints are the largest differences by what they cost.
func (w *watch) rateHints(ctx context.Context) ([]rateDifference, error) {
	days := affiliate.Days{First: w.Days.First - rateBefore, Last: w.Days.First - 1}
	var hints []rateDifference
	for _, product := range affiliate.Products() {
		before, err := w.rateSums(ctx, product, days)
		if err != nil {
			return nil, err
		}
		now, err := w.rateSums(ctx, product, w.Days)
		if err != nil {
			return nil, err
		}
		for key, sums := range now {
			if !w.matters(sums.Fee.Decimal(), key.coin) {
				continue // no rate can cost more than the fee
			}
			if h, ok := differenceOf(key, before[key], sums); ok {
				hints = append(hints, h)
			}
		}
	}
	slices.SortFunc(hints, func(a, b rateDifference) int {
		// What a coin is worth decides between coins; without a rate it stands last.
		return b.cost.Abs().Mul(w.prices[b.coin]).Cmp(a.cost.Abs().Mul(w.prices[a.coin]))
	})
	return hints[:min(len(hints), rateClose)], nil
}

func (w *watch) rateSums(ctx context.Context, product affiliate.Product, days affiliate.Days) (map[rateKey]store.Sums, error) {
	f := w.filterOf(days)
	f.Product = product
	list, err := w.InviteeSums(ctx, f)
	sums := make(map[rateKey]store.Sums, len(list))
	for _, s := range list {
		sums[rateKey{store.InviteeKey{Account: s.Account, UID: s.UID}, product, s.Coin}] = s.Sums
	}
	return sums, err
}

// differenceOf compares two stretches of days that both have a fee.
func differenceOf(key rateKey, before, now store.Sums) (rateDifference, bool) {
	if !before.Fee.Known() { // no record at all
		return rateDifference{}, false
	}
	old, ok1 := fraction(before.Commission.Decimal(), before.Fee.Decimal())
	new, ok2 := fraction(now.Commission.Decimal(), now.Fee.Decimal())
	d := rateDifference{rateKey: key, old: old, new: new, cost: old.Sub(new).Mul(now.Fee.Decimal())}
	return d, ok1 && ok2 && differs(old, new, rateHint)
}

// differs reports whether two rates differ by so many percent of the higher.
func differs(a, b decimal.Decimal, percent int64) bool {
	return !a.Equal(b) && atLeast(a.Sub(b).Abs(), decimal.Max(a, b), percent)
}

// rateChange finds the day since which the rate is another one.
func (w *watch) rateChange(ctx context.Context, d rateDifference) (RateChange, bool, error) {
	f := w.filterOf(affiliate.Days{First: w.Days.First - rateBefore, Last: w.today})
	f.Account, f.UID, f.Product, f.Coin = d.Account, d.UID, d.product, d.coin
	sums, err := w.DaySums(ctx, f)
	if err != nil {
		return RateChange{}, false, err
	}
	days := feeDays(sums)
	at := len(days)
	for at > 0 && days[at-1].nearer(d.new, d.old) {
		at--
	}
	if len(days)-at < rateTradingDays || at == 0 {
		return RateChange{}, false, nil
	}
	before, after := together(days[:at]), together(days[at:])
	change := RateChange{Account: d.Account, UID: d.UID, Product: d.product, Since: days[at].day}
	change.Old, _ = fraction(before.commission, before.fee)
	change.New, _ = fraction(after.commission, after.fee)
	change.Cost = change.Old.Sub(change.New).Mul(after.fee)
	return change, differs(change.Old, change.New, ratePercent) && w.matters(change.Cost, d.coin), nil
}

// feeDay is a day with a fee.
type feeDay struct {
	day             affiliate.Day
	fee, commission decimal.Decimal
}

// feeDays are the days with a fee, oldest first; sources are added up.
func feeDays(sums []store.DaySums) []feeDay {
	var days []feeDay
	for _, s := range sums {
		if n := len(days); n == 0 || days[n-1].day != s.Day {
			days = append(days, feeDay{day: s.Day})
		}
		last := &days[len(days)-1]
		last.fee, last.commission = last.fee.Add(s.Fee.Decimal()), last.commission.Add(s.Commission.Decimal())
	}
	return slices.DeleteFunc(days, func(d feeDay) bool { return !d.fee.IsPositive() })
}

// nearer reports whether the day's rate is nearer to the one than to the other.
func (d feeDay) nearer(one, other decimal.Decimal) bool {
	rate, ok := fraction(d.commission, d.fee)
	return ok && rate.Sub(one).Abs().LessThan(rate.Sub(other).Abs())
}

func together(days []feeDay) feeDay {
	var sum feeDay
	for _, d := range days {
		sum.fee, sum.commission = sum.fee.Add(d.fee), sum.commission.Add(d.commission)
	}
	return sum
}
