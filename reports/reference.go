package reports

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// reference is the compared period, read.
type reference struct {
	asked  bool
	known  bool // collected completely
	days   affiliate.Days
	cover  *coverer
	totals map[affiliate.Coin]Totals
	series func(affiliate.Coin) DailySeries
}

// compared reads the period that the query compares with.
func (q *question) compared(ctx context.Context) (reference, error) {
	days, asked := q.Compare.days(q.Days)
	if !asked {
		return reference{}, nil
	}
	before := *q
	before.Days = days
	sums, err := q.DaySums(ctx, before.filter())
	if err != nil {
		return reference{}, fmt.Errorf("the compared period: %w", err)
	}
	cover, err := before.coverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref := reference{asked: true, days: days, cover: cover, totals: map[affiliate.Coin]Totals{}}
	ref.known = cover.summary(days).Complete()
	for _, t := range totalsOf(sums) {
		ref.totals[t.Coin] = t
	}
	ref.series = func(coin affiliate.Coin) DailySeries { return before.dailySeries(coin, sums, cover) }
	return ref, nil
}

// figure sets an amount beside its reference.
func (r reference) figure(coin affiliate.Coin, now decimal.Decimal, of func(Totals) decimal.Decimal) Figure {
	f := Figure{Amount: affiliate.Amount{Value: now, Coin: coin}, Change: Change{Kind: ChangeNone}}
	switch {
	case !r.asked:
	case !r.known:
		f.Change.Kind = ChangeUnknown
	default:
		f.Reference = affiliate.Amount{Value: of(r.totals[coin]), Coin: coin}
		f.Change = changeOf(now, f.Reference.Value)
	}
	return f
}

// line adds the compared period to a series, day by day.
func (r reference) line(series *DailySeries) {
	if !r.asked {
		return
	}
	before := r.series(series.Coin)
	series.Reference, series.RefDays = before.Total, before.Days
	series.RefKnown = make([]bool, len(before.State))
	for i, state := range before.State {
		series.RefKnown[i] = state == DayCollected
	}
}
