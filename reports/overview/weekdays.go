package overview

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// sameWeekdays is the number of earlier days with which a day is compared.
const sameWeekdays = 8

// Weekday compares the commission of a day in one coin with the same weekdays before.
type Weekday struct {
	Day        affiliate.Day
	Coin       affiliate.Coin
	Commission decimal.Decimal
	Usual      decimal.Decimal // mean of the completed ones in the last eight weeks
	Of         int             // their number
}

// MakeWeekdays compares the days of the query with the same weekdays before.
func MakeWeekdays(ctx context.Context, q *snapshot.Snapshot) ([]Weekday, error) {
	f := q.Filter()
	f.Days.First -= 7 * sameWeekdays
	rows, err := sums.ByDay(ctx, q.Tx, f)
	if err != nil {
		return nil, err
	}
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, f.Days)
	if err != nil {
		return nil, err
	}
	cover.Lag = coverage.ListingLag
	closed := func(day affiliate.Day) bool { return cover.State(day) == coverage.DayCollected }
	brought := map[affiliate.Coin]map[affiliate.Day]decimal.Decimal{}
	var coins []affiliate.Coin
	for _, row := range rows {
		if brought[row.Coin] == nil {
			brought[row.Coin], coins = map[affiliate.Day]decimal.Decimal{}, append(coins, row.Coin)
		}
		brought[row.Coin][row.Day] = brought[row.Coin][row.Day].Add(row.Commission.Decimal())
	}
	var list []Weekday
	for day := q.Days.First; day <= q.Days.Last; day++ {
		for _, coin := range coins {
			if one, ok := weekdayOf(day, coin, brought[coin], closed); ok {
				list = append(list, one)
			}
		}
	}
	return list, nil
}

func weekdayOf(day affiliate.Day, coin affiliate.Coin, brought map[affiliate.Day]decimal.Decimal, closed func(affiliate.Day) bool) (Weekday, bool) {
	one := Weekday{Day: day, Coin: coin, Commission: brought[day]}
	if !closed(day) {
		return one, false
	}
	var sum decimal.Decimal
	for back := 1; back <= sameWeekdays; back++ {
		if before := day - affiliate.Day(7*back); closed(before) {
			sum = sum.Add(brought[before])
			one.Of++
		}
	}
	if one.Of < LeastSame {
		return one, false
	}
	one.Usual = sum.DivRound(decimal.NewFromInt(int64(one.Of)), figures.FractionDigits)
	return one, true
}
