package attention

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
)

// DropFinding says that the last days brought much less than usual.
type DropFinding struct {
	Coin  affiliate.Coin
	Days  affiliate.Days // yesterday, or the seven days up to it
	Now   decimal.Decimal
	Usual decimal.Decimal   // mean of the collected same weekdays, or of whole weeks, within eight weeks before
	Of    int               // number of those
	Drop  figures.Ratio     // in percent of Usual
	Worth figures.Valuation // of the shortfall from Usual
}

// Severity is a warning, because the cause of a drop may be the market.
func (DropFinding) Severity() Severity { return SeverityWarning }

// drops compares the last week and the last day with the usual commission.
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

// drop compares days with those a whole number of weeks earlier, as far as they are
// collected.
func (w *watch) drop(days affiliate.Days) (DropFinding, bool) {
	if w.coin == "" || !w.collected(days) {
		return DropFinding{}, false
	}
	f := DropFinding{Coin: w.coin, Days: days, Now: w.commission(days)}
	var sum decimal.Decimal
	asLow := 0
	for back := affiliate.Day(7); back <= overview.UsualDays; back += 7 {
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
	if f.Of < overview.LeastSame || asLow > dropTwins || !sum.IsPositive() {
		return DropFinding{}, false
	}
	f.Usual = sum.DivRound(decimal.NewFromInt(int64(f.Of)), figures.FractionDigits)
	lost := f.Usual.Sub(f.Now)
	f.Worth = w.prices.Worth(affiliate.Amount{Value: lost, Coin: f.Coin})
	if !f.Now.IsNegative() {
		f.Drop = figures.QuotientOf(lost, f.Usual)
	}
	return f, atLeast(lost, f.Usual, dropPercent) && w.matters(lost, f.Coin)
}

// commission returns the commission of days in the main coin.
func (w *watch) commission(days affiliate.Days) decimal.Decimal {
	for _, t := range figures.TotalsOf(figures.SumsWithin(w.sums, days)) {
		if t.Coin == w.coin {
			return t.Commission
		}
	}
	return decimal.Zero
}

// RestatedFinding says that records changed after their days had been collected.
type RestatedFinding struct {
	commissions.Restated
	Within     affiliate.Days    // when the change was noticed: the last thirty days
	Commission decimal.Decimal   // of the days Within, as of now
	Share      figures.Ratio     // of the gross change in percent of Commission
	Worth      figures.Valuation // of the gross change
}

// Severity is a warning, because the earlier figures may have been used already.
func (RestatedFinding) Severity() Severity { return SeverityWarning }

// restated compares the gross restatements of the last days with their commission.
func (w *watch) restated(ctx context.Context) ([]Finding, error) {
	list, err := commissions.RestatedByCoin(ctx, w.Question, affiliate.MillisOf(w.Days.First.Start(w.Zone))-1)
	if err != nil {
		return nil, err
	}
	totals := figures.TotalsOf(figures.SumsWithin(w.sums, w.Days))
	var found []Finding
	for _, n := range list {
		f := RestatedFinding{Restated: n, Within: w.Days, Commission: figures.TotalIn(totals, n.Coin).Commission}
		f.Share = figures.QuotientOf(f.Gross(), f.Commission)
		if w.matters(f.Gross(), f.Coin) && atLeast(f.Gross(), f.Commission, restatedPercent) {
			f.Worth = w.prices.Worth(affiliate.Amount{Value: f.Gross(), Coin: f.Coin})
			found = append(found, f)
		}
	}
	return found, nil
}
