package reports

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// DropFinding is that the last days brought much less than such days do.
type DropFinding struct {
	Coin  affiliate.Coin
	Days  affiliate.Days // yesterday, or the seven days up to it
	Now   decimal.Decimal
	Usual decimal.Decimal // mean of the collected same weekdays, or of whole weeks, within eight weeks before
	Of    int             // how many of them
	Drop  Ratio           // in percent of Usual
}

// Severity of a drop is a warning: its cause may be the market.
func (DropFinding) Severity() Severity { return SeverityWarning }

// drops holds the last week and the last day against what they usually bring.
func (w *watch) drops(context.Context) ([]Finding, error) {
	var found []Finding
	for _, length := range []affiliate.Day{7, 1} {
		days := affiliate.Days{First: w.today - length, Last: w.today - 1}
		if f, ok := w.drop(days); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// drop compares days with those a whole number of weeks before, as far as they
// are collected.
func (w *watch) drop(days affiliate.Days) (DropFinding, bool) {
	if w.coin == "" || !w.collected(days) {
		return DropFinding{}, false
	}
	f := DropFinding{Coin: w.coin, Days: days, Now: w.commission(days)}
	var sum decimal.Decimal
	asLow := 0
	for back := affiliate.Day(7); back <= usualDays; back += 7 {
		before := affiliate.Days{First: days.First - back, Last: days.Last - back}
		if w.collected(before) {
			brought := w.commission(before)
			f.Of++
			sum = sum.Add(brought)
			if brought.LessThanOrEqual(f.Now) {
				asLow++
			}
		}
	}
	if f.Of < leastSame || asLow > dropTwins || !sum.IsPositive() {
		return DropFinding{}, false
	}
	f.Usual = sum.DivRound(decimal.NewFromInt(int64(f.Of)), fractionDigits)
	lost := f.Usual.Sub(f.Now)
	f.Drop = shareOf(lost, f.Usual)
	return f, atLeast(lost, f.Usual, dropPercent) && w.matters(lost, f.Coin)
}

// commission is what days brought in the main coin.
func (w *watch) commission(days affiliate.Days) decimal.Decimal {
	for _, t := range totalsOf(sumsWithin(w.sums, days)) {
		if t.Coin == w.coin {
			return t.Commission
		}
	}
	return decimal.Zero
}

// RestatedFinding is that records of the last thirty days changed after their
// days had been collected.
type RestatedFinding struct {
	Coin       affiliate.Coin
	Days       affiliate.Days
	Count      int64
	Change     decimal.Decimal // of the commission, exact
	Commission decimal.Decimal // of the days, as it is now
	Share      Ratio           // of the change, whichever its sign, in percent of Commission
}

// Severity of restatements is a warning: somebody may have used the figures of
// before.
func (RestatedFinding) Severity() Severity { return SeverityWarning }

func (w *watch) restated(ctx context.Context) ([]Finding, error) {
	sums := restatementSums{}
	for found, err := range w.Reader.Restatements(ctx, w.filter()) {
		if err != nil {
			return nil, err
		}
		sums.add(found)
	}
	byCoin := map[affiliate.Coin]*RestatedFinding{}
	var coins []affiliate.Coin
	for _, t := range sums.totals() {
		f := byCoin[t.Coin]
		if f == nil {
			f = &RestatedFinding{Coin: t.Coin, Days: w.Days}
			byCoin[t.Coin], coins = f, append(coins, t.Coin)
		}
		f.Count += t.Count
		f.Change = f.Change.Add(t.Change)
	}
	for _, t := range totalsOf(sumsWithin(w.sums, w.Days)) {
		if f := byCoin[t.Coin]; f != nil {
			f.Commission = t.Commission
		}
	}
	var found []Finding
	for _, coin := range coins {
		f := byCoin[coin]
		f.Share = shareOf(f.Change.Abs(), f.Commission)
		if w.matters(f.Change, coin) && atLeast(f.Change.Abs(), f.Commission, restatedPercent) {
			found = append(found, *f)
		}
	}
	return found, nil
}
