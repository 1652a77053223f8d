package snapshot

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/prices"
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

// DayRates returns the rate of each day, or none if the coin has no price at all. A sample of the day
// itself always counts; after it the price that was imported for the day; after it the newest price from
// before the day, and before all prices the oldest one.
func (q *Snapshot) DayRates(ctx context.Context, coin affiliate.Coin, days []affiliate.Day) ([]figures.DayRate, error) {
	first, sampled, err := records.FirstRate(ctx, q.Tx, coin, figures.ValuedIn, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	var samples map[affiliate.Day]records.Rate
	if sampled {
		if samples, err = records.Rates(ctx, q.Tx, coin, figures.ValuedIn, days, q.AsOfMillis()); err != nil {
			return nil, err
		}
	}
	imported, err := prices.Of(ctx, q.Tx, coin, q.AsOfMillis())
	if err != nil || !sampled && len(imported) == 0 {
		return nil, err
	}
	rates := make([]figures.DayRate, len(days))
	for i, day := range days {
		if newest, ok := samples[day]; ok {
			rates[i] = sampleOf(newest, q.kindOf(newest.At, day))
		}
		if rates[i].Kind != figures.RateOwn {
			q.consider(&rates[i], imported, day)
		}
		if rates[i].Kind == "" {
			rates[i] = q.oldest(first, sampled, imported)
		}
		rates[i].Day = day
	}
	return rates, nil
}

func sampleOf(r records.Rate, kind figures.RateKind) figures.DayRate {
	return figures.DayRate{Kind: kind, Price: r.Price, At: r.At, Source: r.Source, Symbol: r.Symbol}
}

// importedRate returns an imported price as the rate of a day.
func (q *Snapshot) importedRate(p prices.Stored, kind figures.RateKind) figures.DayRate {
	return figures.DayRate{Kind: kind, Price: p.Price.Price, At: affiliate.MillisOf((p.Day + 1).Start(q.Zone)) - 1, Imported: true,
		Source: "imported by " + p.Actor + " on " + affiliate.DayOf(p.Imported.Time(), q.Zone).Format("2 Jan 2006")}
}

// consider takes for a day without a sample the newest price that was imported for it or for a day before
// it, unless the sample from before the day is of the same day or newer.
func (q *Snapshot) consider(rate *figures.DayRate, imported []prices.Stored, day affiliate.Day) {
	n, found := slices.BinarySearchFunc(imported, day, func(p prices.Stored, day affiliate.Day) int { return cmp.Compare(p.Day, day) })
	switch {
	case found:
		*rate = q.importedRate(imported[n], figures.RateImported)
	case n > 0 && (rate.Kind == "" || rate.At < affiliate.MillisOf(imported[n-1].Day.Start(q.Zone))):
		*rate = q.importedRate(imported[n-1], figures.RateEarlier)
	}
}

// oldest returns the oldest price of all. There is one.
func (q *Snapshot) oldest(first records.Rate, sampled bool, imported []prices.Stored) figures.DayRate {
	if sampled && (len(imported) == 0 || first.At < affiliate.MillisOf((imported[0].Day+1).Start(q.Zone))) {
		return sampleOf(first, figures.RateFirst)
	}
	return q.importedRate(imported[0], figures.RateFirst)
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
