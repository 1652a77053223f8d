package snapshot

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Valuation converts the amounts by the rates known at the time of the query.
func (q *Snapshot) Valuation(ctx context.Context, amounts figures.DayAmounts) (figures.Valuation, error) {
	var v figures.Valuation
	for coin, days := range amounts {
		valued, ok, err := q.value(ctx, coin, days)
		if err != nil {
			return figures.Valuation{}, err
		}
		if !ok {
			v.Missing = append(v.Missing, valued.Sum)
			continue
		}
		v.Add(valued)
	}
	v.Order()
	return v, nil
}

// value converts the days of one coin. It returns false if the coin has no rate. Zero is
// worth zero at any rate and needs none.
func (q *Snapshot) value(ctx context.Context, coin affiliate.Coin, amounts map[affiliate.Day]decimal.Decimal) (figures.ValuedCoin, bool, error) {
	valued := figures.ValuedCoin{Sum: affiliate.Amount{Coin: coin}}
	var days []affiliate.Day
	for day, amount := range amounts {
		valued.Sum.Value = valued.Sum.Value.Add(amount)
		if !amount.IsZero() {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	if coin == figures.ValuedIn || len(days) == 0 {
		valued.Value = valued.Sum.Value
		return valued, true, nil
	}
	rates, err := q.DayRates(ctx, coin, days)
	if err != nil || len(rates) == 0 {
		return valued, false, err
	}
	for _, rate := range rates {
		valued.Value = valued.Value.Add(affiliate.Times(amounts[rate.Day], rate.Price.Decimal()))
	}
	valued.Days = rates
	return valued, true, nil
}

// DayRates returns the rate of each day, or none if the coin was never sampled.
func (q *Snapshot) DayRates(ctx context.Context, coin affiliate.Coin, days []affiliate.Day) ([]figures.DayRate, error) {
	first, sampled, err := records.FirstRate(ctx, q.Tx, coin, figures.ValuedIn, q.AsOfMillis())
	if err != nil || !sampled {
		return nil, err
	}
	samples, err := records.Rates(ctx, q.Tx, coin, figures.ValuedIn, days, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	rates := make([]figures.DayRate, len(days))
	for i, day := range days {
		sample, kind := first, figures.RateFirst
		if newest, ok := samples[day]; ok {
			sample, kind = newest, q.kindOf(newest.At, day)
		}
		rates[i] = figures.DayRate{Day: day, Kind: kind, Price: sample.Price, At: sample.At, Source: sample.Source, Symbol: sample.Symbol}
	}
	return rates, nil
}

// kindOf reports whether the newest sample before the end of a day is the day's own.
func (q *Snapshot) kindOf(at affiliate.Millis, day affiliate.Day) figures.RateKind {
	if day.Range(q.Zone).Contains(at) || q.Now.Sub(at.Time()) <= freshRate {
		return figures.RateOwn
	}
	return figures.RateEarlier
}

// freshRate is how old the newest sample may be to serve as the running day's own rate,
// even if it was taken on the previous day: samples are an hour apart.
const freshRate = 2 * time.Hour

// Prices returns today's prices. A stablecoin without a rate is close enough to one for a
// threshold, but is never converted.
func (q *Snapshot) Prices(ctx context.Context, coins []affiliate.Coin) (figures.Prices, error) {
	today, known := affiliate.DayOf(q.Now, q.Zone), figures.Prices{}
	for _, coin := range coins {
		if coin.Stable() {
			known[coin] = figures.Price{Decimal: decimal.NewFromInt(1)}
		}
		if coin == figures.ValuedIn {
			continue
		}
		rates, err := q.DayRates(ctx, coin, []affiliate.Day{today})
		if err != nil {
			return nil, err
		}
		if len(rates) > 0 {
			known[coin] = figures.Price{Decimal: rates[0].Price.Decimal(), Rate: &rates[0]}
		}
	}
	return known, nil
}

// Valued converts the commissions of the query and compares them with those of the compared
// period.
func (q *Snapshot) Valued(ctx context.Context, totals []sums.DaySums, ref figures.Reference) (figures.ValuedFigure, error) {
	v, err := q.Valuation(ctx, figures.CommissionDays(totals))
	f := figures.ValuedFigure{Valuation: v, Reference: ref.Valued, Change: figures.Change{Kind: figures.ChangeNone}}
	switch {
	case err != nil || !ref.Asked:
	case !ref.Known || !f.Comparable():
		f.Change.Kind = figures.ChangeUnknown
	default:
		f.Change = ref.Change(figures.ValuedIn, f.Total, f.Reference.Total)
	}
	return f, err
}
