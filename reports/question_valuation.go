package reports

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// valuation converts the amounts by the rates that were known at the time of
// the question.
func (q *question) valuation(ctx context.Context, amounts dayAmounts) (Valuation, error) {
	var v Valuation
	for coin, days := range amounts {
		valued, ok, err := q.value(ctx, coin, days)
		if err != nil {
			return Valuation{}, err
		}
		if !ok {
			v.Missing = append(v.Missing, valued.Sum)
			continue
		}
		v.add(valued)
	}
	v.order()
	return v, nil
}

// value converts the days of one coin; false where it has no rate. Zero is
// worth zero by any rate and needs none.
func (q *question) value(ctx context.Context, coin affiliate.Coin, amounts map[affiliate.Day]decimal.Decimal) (ValuedCoin, bool, error) {
	valued := ValuedCoin{Sum: affiliate.Amount{Coin: coin}}
	var days []affiliate.Day
	for day, amount := range amounts {
		valued.Sum.Value = valued.Sum.Value.Add(amount)
		if !amount.IsZero() {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	if coin == ValuedIn || len(days) == 0 {
		valued.Value = valued.Sum.Value
		return valued, true, nil
	}
	rates, err := q.dayRates(ctx, coin, days)
	if err != nil || len(rates) == 0 {
		return valued, false, err
	}
	for _, rate := range rates {
		valued.Value = valued.Value.Add(amounts[rate.Day].Mul(rate.Price.Decimal()))
	}
	valued.Days = rates
	return valued, true, nil
}

// dayRates finds the rate of each day; none where the coin was never sampled.
func (q *question) dayRates(ctx context.Context, coin affiliate.Coin, days []affiliate.Day) ([]DayRate, error) {
	first, sampled, err := records.FirstRate(ctx, q.Tx, coin, ValuedIn, q.asOfMillis())
	if err != nil || !sampled {
		return nil, err
	}
	samples, err := records.Rates(ctx, q.Tx, coin, ValuedIn, days, q.asOfMillis())
	if err != nil {
		return nil, err
	}
	rates := make([]DayRate, len(days))
	for i, day := range days {
		sample, kind := first, RateFirst
		if newest, ok := samples[day]; ok {
			sample, kind = newest, q.kindOf(newest.At, day)
		}
		rates[i] = DayRate{Day: day, Kind: kind, Price: sample.Price, At: sample.At, Source: sample.Source, Symbol: sample.Symbol}
	}
	return rates, nil
}

// kindOf tells of the newest sample before the end of a day whether it is the
// day's own.
func (q *question) kindOf(at affiliate.Millis, day affiliate.Day) RateKind {
	if day.Range(q.Zone).Contains(at) || q.now.Sub(at.Time()) <= freshRate {
		return RateOwn
	}
	return RateEarlier
}

// freshRate is how old the newest sample may be to be the running day's own
// rate, also where it is of the day before: samples are an hour apart.
const freshRate = 2 * time.Hour

// prices are those of today. A stablecoin without a rate is near enough to one for
// a threshold, and is converted nowhere.
func (q *question) prices(ctx context.Context, coins []affiliate.Coin) (prices, error) {
	today, known := affiliate.DayOf(q.now, q.Zone), prices{}
	for _, coin := range coins {
		if coin.Stable() {
			known[coin] = price{Decimal: decimal.NewFromInt(1)}
		}
		if coin == ValuedIn {
			continue
		}
		rates, err := q.dayRates(ctx, coin, []affiliate.Day{today})
		if err != nil {
			return nil, err
		}
		if len(rates) > 0 {
			known[coin] = price{rates[0].Price.Decimal(), &rates[0]}
		}
	}
	return known, nil
}

// valued converts the commissions of the query and sets them beside those of
// the compared period.
func (q *question) valued(ctx context.Context, totals []sums.DaySums, ref reference) (ValuedFigure, error) {
	v, err := q.valuation(ctx, commissionDays(totals))
	f := ValuedFigure{Valuation: v, Reference: ref.valued, Change: Change{Kind: ChangeNone}}
	switch {
	case err != nil || !ref.asked:
	case !ref.known || !f.Comparable():
		f.Change.Kind = ChangeUnknown
	default:
		f.Change = ref.change(f.Total, f.Reference.Total)
	}
	return f, err
}
