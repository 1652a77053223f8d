// Package recent reads the last thirty days as several checks need them, and finds the rates that
// changed in them.
package recent

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Snapshot is a question about the present, with the data that several checks need.
type Snapshot struct {
	*snapshot.Snapshot                    // its Days are the last [invitees.PresentDays]
	Today              affiliate.Day      // of the requested state
	Sums               []sums.DaySums     // of the usual days and of those since
	Brought            []sums.ProductSums // by invitees in the last [invitees.PresentDays]
	Coin               affiliate.Coin     // with most records
	Prices             figures.Prices     // of all coins
	cover              *coverage.Map      // of commissions, since [invitees.RhythmDays] ago
	explained          map[sums.InviteeKey]bool
}

// MostNames is how many invitees a finding names; it counts all.
const MostNames = 5

// Read reads the snapshot.
func Read(ctx context.Context, q *snapshot.Snapshot) (*Snapshot, error) {
	w := &Snapshot{Snapshot: q, Today: affiliate.DayOf(q.Now, q.Zone)}
	w.Days = w.Last(invitees.PresentDays)
	f := q.Filter()
	f.Days = affiliate.Days{First: w.Today - 7 - overview.UsualDays, Last: w.Today}
	var err error
	if w.Sums, err = snapshot.Read(ctx, q, "sums by day", f, sums.ByDay); err != nil {
		return nil, err
	}
	if w.Brought, err = w.products(ctx, w.Days); err != nil {
		return nil, err
	}
	if w.cover, err = q.ReadCoverage(ctx, affiliate.Commissions, w.Last(invitees.RhythmDays)); err != nil {
		return nil, err
	}
	w.Coin = figures.MainCoin(q.Coin, figures.TotalsOf(figures.SumsWithin(w.Sums, w.Days)))
	coins, err := q.Coins(ctx)
	if err != nil {
		return nil, err
	}
	w.Prices, err = q.Prices(ctx, coins)
	return w, err
}

// Last returns the range of the given number of days up to today.
func (w *Snapshot) Last(days int) affiliate.Days {
	return affiliate.Days{First: w.Today - affiliate.Day(days) + 1, Last: w.Today}
}

// filterOf returns the same query for other days.
func (w *Snapshot) filterOf(days affiliate.Days) records.CommissionFilter {
	f := w.Filter()
	f.Days = days
	return f
}

// products returns the sums by invitee and product of some days. They are shared.
func (w *Snapshot) products(ctx context.Context, days affiliate.Days) ([]sums.ProductSums, error) {
	return snapshot.OfDays(ctx, w.Snapshot, "sums by product", w.filterOf(days), sums.ProductsOfInvitees, sums.JoinProducts)
}

// Matters reports whether an amount is worth a look.
func (w *Snapshot) Matters(amount decimal.Decimal, coin affiliate.Coin) bool {
	return w.Prices.Matters(amount, coin)
}

// Collected reports whether all of the days are over and collected.
func (w *Snapshot) Collected(days affiliate.Days) bool {
	for day := days.First; day <= days.Last; day++ {
		if w.cover.State(day) != coverage.DayCollected {
			return false
		}
	}
	return true
}

// AtLeast reports whether a is at least the given percentage of whole.
func AtLeast(a, whole decimal.Decimal, percent int64) bool {
	return a.Shift(2).GreaterThanOrEqual(whole.Mul(decimal.NewFromInt(percent)))
}
