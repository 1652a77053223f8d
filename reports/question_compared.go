package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// compared reads the period that the query compares with.
func (q *question) compared(ctx context.Context) (reference, error) {
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return reference{}, nil
	}
	before := *q
	before.Days = days
	list, err := sums.ByDay(ctx, q.Tx, before.filter())
	if err != nil {
		return reference{}, fmt.Errorf("the compared period: %w", err)
	}
	cover, err := before.coverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref := reference{asked: true, open: q.open(), days: days, cover: cover, sums: list, totals: map[affiliate.Coin]Totals{}}
	ref.known = cover.summary(days).Complete()
	for _, t := range totalsOf(list) {
		ref.totals[t.Coin] = t
	}
	if ref.valued, err = before.valuation(ctx, commissionDays(list)); err != nil {
		return reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref.series = func(coin affiliate.Coin) DailySeries { return before.dailySeries(coin, list, cover) }
	return ref, nil
}

// open reports whether the range reaches beyond the instant it is looked at, so
// that more may come.
func (q *question) open() bool { return q.now.Before(q.Days.Range(q.Zone).To) }

// dailySeries lays commission of one coin out by day, split as the query asks.
func (q *question) dailySeries(coin affiliate.Coin, totals []sums.DaySums, c *coverer) DailySeries {
	series := seriesOf(q.Days, coin, totals, c, q.By)
	series.By = q.By
	return series
}
