package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/sums"
)

// Trend holds amounts day by day, for a small chart in a line of a table.
type Trend struct {
	Days   affiliate.Days
	Coin   affiliate.Coin // empty: the exchange gives no unit
	Values []decimal.Decimal
	Known  []bool // false: the day is unknown
}

// NewTrend returns a trend without amounts. Only days that are collected up to their end are
// known: a running day looks like a fall.
func NewTrend(days affiliate.Days, coin affiliate.Coin, c *coverage.Map) Trend {
	t := Trend{Days: days, Coin: coin, Values: make([]decimal.Decimal, days.Len()), Known: make([]bool, days.Len())}
	for i := range t.Known {
		t.Known[i] = c.State(days.First+affiliate.Day(i)) == coverage.DayCollected
	}
	return t
}

// Add adds an amount to a day of the trend.
func (t *Trend) Add(day affiliate.Day, amount decimal.Decimal) {
	at := int(day - t.Days.First)
	t.Values[at] = t.Values[at].Add(amount)
}

// TrendOf returns the commission of some days in one coin.
func TrendOf(days affiliate.Days, coin affiliate.Coin, list []sums.DaySums, c *coverage.Map) Trend {
	t := NewTrend(days, coin, c)
	for i := range list {
		if list[i].Coin == coin {
			t.Add(list[i].Day, list[i].Commission.Decimal())
		}
	}
	return t
}
