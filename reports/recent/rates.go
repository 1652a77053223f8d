package recent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

const (
	// A rate is that of the last [invitees.PresentDays], compared with the rateBefore days
	// before. It must differ by ratePercent of itself, since fees and commissions are
	// rounded, and on at least rateTradingDays: one odd day is not a new level.
	rateBefore      = 90
	ratePercent     = 10
	rateTradingDays = 3

	// rateHint is the difference from which a rate is examined closely: a change of a few
	// days ago shows little in thirty of them.
	rateHint = 1

	// rateClose is how many of the most costly differences are examined closely.
	rateClose = 20
)

// RateChange is a changed effective rate of one invitee and product: commission as a
// fraction of the net fees.
type RateChange struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Product  affiliate.Product
	Old, New decimal.Decimal // fractions
	Since    affiliate.Day   // the first day with the new rate
	Cost     decimal.Decimal // (old rate − new rate) × fee since then; negative if it brings more
}

// RateChanges compares the last days with those before them, for invitees whose records have no
// constant rate. It examines only the most costly differences day by day. It returns the changes by
// coin, and the coins in the order in which they were found.
func (w *Snapshot) RateChanges(ctx context.Context) (map[affiliate.Coin][]RateChange, []affiliate.Coin, error) {
	hints, err := w.rateHints(ctx)
	if err != nil {
		return nil, nil, err
	}
	if hints, err = w.lasting(ctx, hints); err != nil {
		return nil, nil, err
	}
	changes := map[affiliate.Coin][]RateChange{}
	var coins []affiliate.Coin
	read, err := w.rateDays(ctx, hints, w.Today-w.Days.First+1+rateBefore)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range hints {
		change, ok := w.changeOf(h, feeDays(h.of(read)))
		if !ok {
			continue
		}
		if changes[h.coin] == nil {
			coins = append(coins, h.coin)
		}
		changes[h.coin] = append(changes[h.coin], change)
	}
	return changes, coins, nil
}

// rateKey identifies a rate.
type rateKey struct {
	sums.InviteeKey
	product affiliate.Product
	coin    affiliate.Coin
}

// rateDifference is the difference of a rate between two ranges of days.
type rateDifference struct {
	rateKey
	old, new decimal.Decimal
	cost     decimal.Decimal
	weight   decimal.Decimal // of the cost, whatever its sign, in ValuedIn
}

// rateHints returns the most costly differences of invitees of whom no other finding tells it.
func (w *Snapshot) rateHints(ctx context.Context) ([]rateDifference, error) {
	return snapshot.Part(ctx, w.Snapshot, "rate hints", w.filterOf(affiliate.Days{First: w.Days.First - rateBefore, Last: w.Days.Last}), w.findRateHints)
}

func (w *Snapshot) findRateHints(ctx context.Context) ([]rateDifference, error) {
	now := map[rateKey]sums.ProductSums{}
	for _, s := range w.Brought {
		if w.Matters(s.Fee.Decimal(), s.Coin) { // no rate can cost more than the fee
			now[rateKeyOf(s)] = s
		}
	}
	days := affiliate.Days{First: w.Days.First - rateBefore, Last: w.Days.First - 1}
	before, err := w.products(ctx, days)
	if err != nil {
		return nil, err
	}
	hints := make([]rateDifference, 0, rateClose+1) // most costly first: sorting all of them would cost more than finding them
	for _, s := range before {
		key := rateKeyOf(s)
		sums, ok := now[key]
		if !ok || w.explained[s.InviteeKey] {
			continue
		}
		h, ok := differenceOf(key, s, sums)
		if !ok {
			continue
		}
		h = w.weighed(h)
		if len(hints) == rateClose && h.weight.LessThanOrEqual(hints[rateClose-1].weight) {
			continue
		}
		at, _ := slices.BinarySearchFunc(hints, h, func(a, b rateDifference) int { return b.weight.Cmp(a.weight) })
		hints = slices.Insert(hints, at, h)
		hints = hints[:min(len(hints), rateClose)]
	}
	return hints, nil
}

func rateKeyOf(s sums.ProductSums) rateKey {
	return rateKey{s.InviteeKey, s.Product, s.Coin}
}

// weighed converts the cost of the difference, so that differences in several coins can be
// ordered. A coin without a rate comes last.
func (w *Snapshot) weighed(d rateDifference) rateDifference {
	d.weight = d.cost.Abs().Mul(w.Prices[d.coin].Decimal)
	return d
}

// differenceOf compares two stretches of days that both have a fee.
func differenceOf(key rateKey, before, now sums.ProductSums) (rateDifference, bool) {
	old, ok1 := figures.Fraction(before.Commission.Decimal(), before.Fee.Decimal())
	new, ok2 := figures.Fraction(now.Commission.Decimal(), now.Fee.Decimal())
	d := rateDifference{rateKey: key, old: old, new: new, cost: affiliate.Times(now.Fee.Decimal(), old.Sub(new))}
	return d, ok1 && ok2 && differs(old, new, rateHint)
}

// differs reports whether two rates differ by the given percentage of the higher.
func differs(a, b decimal.Decimal, percent int64) bool {
	return !a.Equal(b) && AtLeast(a.Sub(b).Abs(), decimal.Max(a, b), percent)
}

// lasting leaves out differences that the last two weeks refute: their newest days are too
// few for a new rate. Reading all days of many invitees costs much, and most are refuted.
func (w *Snapshot) lasting(ctx context.Context, hints []rateDifference) ([]rateDifference, error) {
	read, err := w.rateDays(ctx, hints, 14)
	return slices.DeleteFunc(slices.Clone(hints), func(d rateDifference) bool {
		days := feeDays(d.of(read))
		at := d.begins(days)
		return at > 0 && len(days)-at < rateTradingDays
	}), err
}

// rateDays reads the given number of days up to today, by which differences are examined.
func (w *Snapshot) rateDays(ctx context.Context, hints []rateDifference, days affiliate.Day) (map[sums.InviteeKey][]sums.DaySums, error) {
	var people []sums.InviteeKey
	for _, h := range hints {
		if !slices.Contains(people, h.InviteeKey) {
			people = append(people, h.InviteeKey)
		}
	}
	slices.SortFunc(people, func(a, b sums.InviteeKey) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
	})
	name := fmt.Sprintf("days of invitees %q", people)
	return snapshot.OfDaysOnce(ctx, w.Snapshot, name, w.filterOf(w.Last(int(days))), sums.DaysOfInvitees(people), sums.JoinDays)
}

// of returns the days of the difference.
func (d rateDifference) of(read map[sums.InviteeKey][]sums.DaySums) []sums.DaySums {
	var own []sums.DaySums
	for _, s := range read[d.InviteeKey] {
		if s.Product == d.product && s.Coin == d.coin {
			own = append(own, s)
		}
	}
	return own
}

// begins returns the index of the first of the newest days whose rate is nearer to the new
// one.
func (d rateDifference) begins(days []feeDay) int {
	at := len(days)
	for at > 0 && days[at-1].nearer(d.new, d.old) {
		at--
	}
	return at
}

// changeOf finds the day on which the rate changed.
func (w *Snapshot) changeOf(d rateDifference, days []feeDay) (RateChange, bool) {
	at := d.begins(days)
	if len(days)-at < rateTradingDays || at == 0 {
		return RateChange{}, false
	}
	before, after := together(days[:at]), together(days[at:])
	change := RateChange{Account: d.Account, UID: d.UID, Product: d.product, Since: days[at].day}
	change.Old, _ = figures.Fraction(before.commission, before.fee)
	change.New, _ = figures.Fraction(after.commission, after.fee)
	change.Cost = affiliate.Times(after.fee, change.Old.Sub(change.New))
	return change, differs(change.Old, change.New, ratePercent) && w.Matters(change.Cost, d.coin)
}

// feeDay is a day with a fee.
type feeDay struct {
	day             affiliate.Day
	fee, commission decimal.Decimal
}

// feeDays returns the days with a fee, oldest first. Sources are added up.
func feeDays(list []sums.DaySums) []feeDay {
	var days []feeDay
	for _, s := range list {
		if n := len(days); n == 0 || days[n-1].day != s.Day {
			days = append(days, feeDay{day: s.Day})
		}
		last := &days[len(days)-1]
		last.fee, last.commission = last.fee.Add(s.Fee.Decimal()), last.commission.Add(s.Commission.Decimal())
	}
	return slices.DeleteFunc(days, func(d feeDay) bool { return !d.fee.IsPositive() })
}

// nearer reports whether the rate of the day is closer to one than to other.
func (d feeDay) nearer(one, other decimal.Decimal) bool {
	rate, ok := figures.Fraction(d.commission, d.fee)
	return ok && rate.Sub(one).Abs().LessThan(rate.Sub(other).Abs())
}

func together(days []feeDay) feeDay {
	var sum feeDay
	for _, d := range days {
		sum.fee, sum.commission = sum.fee.Add(d.fee), sum.commission.Add(d.commission)
	}
	return sum
}
