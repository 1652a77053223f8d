package snapshot

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/store/sums"
)

// Compared reads the period with which the query compares.
func (q *Snapshot) Compared(ctx context.Context) (figures.Reference, error) {
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
	if ref.Valued, err = before.Valuation(ctx, figures.CommissionDays(list)); err != nil {
		return figures.Reference{}, fmt.Errorf("the compared period: %w", err)
	}
	ref.Series = func(coin affiliate.Coin) figures.DailySeries { return before.DailySeries(coin, list, cover) }
	return ref, nil
}

// Open reports whether the range extends beyond the instant of the query, so that more may
// follow.
func (q *Snapshot) Open() bool { return q.Now.Before(q.Days.Range(q.Zone).To) }

// OpenDay returns the day of the range that is not over at the instant of the query; 0: none.
func (q *Snapshot) OpenDay() affiliate.Day {
	if day := affiliate.DayOf(q.Now, q.Zone); q.Days.Contains(day) {
		return day
	}
	return 0
}

// DailySeries arranges commission of one coin by day, split as the query requests.
func (q *Snapshot) DailySeries(coin affiliate.Coin, totals []sums.DaySums, c *coverage.Map) figures.DailySeries {
	series := figures.SeriesOf(q.Days, coin, totals, c, q.By, q.Metric)
	series.By = q.By
	return series
}

// ByHour divides the series of a single day, and the compared day, into hours of the reporting
// zone. A series of several days stays as it is, and so does one of records that cover more than an
// instant.
func (q *Snapshot) ByHour(ctx context.Context, series *figures.DailySeries, c *coverage.Map, ref figures.Reference) error {
	if q.Days.Len() != 1 || q.Coarse() {
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

// SameHours narrows a running day and the day with which it is compared to the hours of the running
// one that are complete: a part of a day is not compared with a whole one. It returns the sums of
// those hours, the reference narrowed to the same hours, and those hours, from the beginning of the
// day on; they are empty if none is complete yet. ok is false if the query is not about a single
// day that is running and a single day before, if their hours differ since clocks change, or if records cover more than an instant.
func (q *Snapshot) SameHours(ctx context.Context, c *coverage.Map, ref figures.Reference) (now []sums.DaySums, same figures.Reference, hours affiliate.Range, ok bool, err error) {
	if q.Coarse() || q.Days.Len() != 1 || !q.Open() || !ref.Asked || !ref.Known || ref.Days.Len() != 1 {
		return nil, ref, hours, false, nil
	}
	own, before := sums.HoursOfDay(q.Days.First, q.Zone), sums.HoursOfDay(ref.Days.First, q.Zone)
	complete := 0
	for complete < len(own) && c.HourState(own[complete]) == coverage.DayCollected {
		if complete >= len(before) || own[complete].From.Format(timeOfDay) != before[complete].From.Format(timeOfDay) || own[complete].To.Format(timeOfDay) != before[complete].To.Format(timeOfDay) {
			return nil, ref, hours, false, nil
		}
		complete++
	}
	hours = affiliate.Range{From: own[0].From, To: own[0].From}
	if complete > 0 {
		hours.To = own[complete-1].To
	}
	same = figures.Reference{Asked: true, Known: true, Days: ref.Days, Cover: ref.Cover, Totals: map[affiliate.Coin]figures.Totals{}}
	if now, err = q.firstHours(ctx, q.Days, complete); err != nil {
		return nil, ref, hours, false, err
	}
	earlier := *q
	earlier.Days = ref.Days
	if same.Sums, err = earlier.firstHours(ctx, ref.Days, complete); err == nil {
		same.Valued, err = earlier.Valuation(ctx, figures.CommissionDays(same.Sums))
	}
	if err != nil {
		return nil, ref, hours, false, fmt.Errorf("the same hours of the compared day: %w", err)
	}
	for _, t := range figures.TotalsOf(same.Sums) {
		same.Totals[t.Coin] = t
	}
	return now, same, hours, true, nil
}

const timeOfDay = "15:04"

// firstHours returns the sums of the first hours of a day.
func (q *Snapshot) firstHours(ctx context.Context, day affiliate.Days, number int) (list []sums.DaySums, err error) {
	f := q.Filter()
	f.Days = day
	all, err := Read(ctx, q, "hours", f, sums.ByHour)
	for _, s := range all {
		if s.Hour < number {
			list = append(list, s.DaySums)
		}
	}
	return list, err
}

func (q *Snapshot) hours(ctx context.Context, day affiliate.Days, coin affiliate.Coin, c *coverage.Map) (figures.DailySeries, error) {
	f := q.Filter()
	f.Days = day
	list, err := Read(ctx, q, "hours", f, sums.ByHour)
	return figures.HoursOf(day.First, sums.HoursOfDay(day.First, q.Zone), coin, list, c, q.By, q.Metric), err
}
