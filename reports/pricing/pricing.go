// Package pricing says on which days the coins that were earned have a price of their own, and where it
// comes from.
package pricing

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/prices"
	"rebatedesk/store/sums"
)

// Accepted are the parameters of the report, which is of all time.
var Accepted = query.AcceptedParams{Usual: query.AllTime}

// Report has the coins that were earned, but for [figures.ValuedIn], which needs no price.
type Report struct {
	query.Query
	Coins []Coin // those that lack most days first
	// Lacking are the days that are over, on which commission was earned and of which no price was collected
	// or imported, by coin and day. Their prices are empty.
	Lacking []prices.Price
}

// Coin is a coin on the days on which commission was earned in it.
type Coin struct {
	Coin                affiliate.Coin
	Days                int // with commission; each is collected, imported, or valued at the price of another day
	Collected, Imported int
	Other               []affiliate.Day // without a price of their own, in order
}

// Make says which days have a price of their own.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	report := Report{Query: q.Query}
	list, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return report, err
	}
	today := affiliate.DayOf(q.Now, q.Zone)
	for coin, amounts := range figures.CommissionDays(list) {
		if coin == figures.ValuedIn {
			continue
		}
		of, err := coinOf(ctx, q, coin, slices.Sorted(maps.Keys(amounts)))
		if err != nil {
			return report, err
		}
		report.Coins = append(report.Coins, of)
	}
	slices.SortFunc(report.Coins, func(a, b Coin) int { return cmp.Or(len(b.Other)-len(a.Other), cmp.Compare(a.Coin, b.Coin)) })
	for _, of := range report.Coins {
		for _, day := range of.Other {
			if day < today {
				report.Lacking = append(report.Lacking, prices.Price{Day: day, Coin: of.Coin})
			}
		}
	}
	return report, nil
}

func coinOf(ctx context.Context, q *snapshot.Snapshot, coin affiliate.Coin, days []affiliate.Day) (Coin, error) {
	of := Coin{Coin: coin, Days: len(days)}
	rates, err := q.DayRates(ctx, coin, days)
	if err != nil {
		return of, err
	}
	if len(rates) == 0 {
		of.Other = days
	}
	for _, rate := range rates {
		switch rate.Kind {
		case figures.RateOwn:
			of.Collected++
		case figures.RateImported:
			of.Imported++
		default:
			of.Other = append(of.Other, rate.Day)
		}
	}
	return of, nil
}
