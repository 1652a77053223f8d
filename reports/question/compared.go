package question

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/store/sums"
)

// Compared reads the period with which the query compares.
func (q *Question) Compared(ctx context.Context) (figures.Reference, error) {
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return figures.Reference{}, nil
	}
	before := *q
	before.Days = days
	list, err := sums.ByDay(ctx, q.Tx, before.Filter())
	if err != nil {
		return figures.Reference{}, fmt.Errorf("the compared period: %w", err)
	}
	cover, err := before.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return figures.Reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref := figures.Reference{Asked: true, Open: q.Open(), Days: days, Cover: cover, Sums: list, Totals: map[affiliate.Coin]figures.Totals{}}
	ref.Known = cover.Summary(days).Complete()
	for _, t := range figures.TotalsOf(list) {
		ref.Totals[t.Coin] = t
	}
	if ref.Valued, err = before.valuation(ctx, figures.CommissionDays(list)); err != nil {
		return figures.Reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref.Series = func(coin affiliate.Coin) figures.DailySeries { return before.DailySeries(coin, list, cover) }
	return ref, nil
}

// Open reports whether the range extends beyond the instant of the query, so that more may
// follow.
func (q *Question) Open() bool { return q.Now.Before(q.Days.Range(q.Zone).To) }

// OpenDay returns the day of the range that is not over at the instant of the query; 0: none.
func (q *Question) OpenDay() affiliate.Day {
	if day := affiliate.DayOf(q.Now, q.Zone); q.Days.Contains(day) {
		return day
	}
	return 0
}

// DailySeries arranges commission of one coin by day, split as the query requests.
func (q *Question) DailySeries(coin affiliate.Coin, totals []sums.DaySums, c *coverage.Map) figures.DailySeries {
	series := figures.SeriesOf(q.Days, coin, totals, c, q.By, q.Metric)
	series.By = q.By
	return series
}

// ByHour divides the series of a single day, and the compared day, into hours of the reporting
// zone. A series of several days stays as it is.
func (q *Question) ByHour(ctx context.Context, series *figures.DailySeries, c *coverage.Map, ref figures.Reference) error {
	if q.Days.Len() != 1 {
		return nil
	}
	hours, err := q.hours(ctx, q.Days, series.Coin, c)
	if err != nil {
		return err
	}
	if hours.By = series.By; ref.Asked && ref.Days.Len() == 1 {
		before, err := q.hours(ctx, ref.Days, series.Coin, ref.Cover)
		if err != nil {
			return fmt.Errorf("the compared day: %w", err)
		}
		hours.CompareHours(before)
	}
	*series = hours
	return nil
}

func (q *Question) hours(ctx context.Context, day affiliate.Days, coin affiliate.Coin, c *coverage.Map) (figures.DailySeries, error) {
	f := q.Filter()
	f.Days = day
	list, err := Read(ctx, q, "hours", f, sums.ByHour)
	return figures.HoursOf(day.First, sums.HoursOfDay(day.First, q.Zone), coin, list, c, q.By, q.Metric), err
}
