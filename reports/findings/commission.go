package findings

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

var _ = register(Kind{
	Gauges: []Gauge{
		{Name: "commission", Amount: true, Labels: []string{"account", "coin", "period"},
			Help: "Commission of an account in units of a coin: today, yesterday, or this month up to today, in days of TIMEZONE. No series while it is not known."},
		{Name: "commission_missing_days", Labels: []string{"account", "period"},
			Help: "Days of the period that should be collected and are not wholly: if there are any, commission may be missing from its sums."},
	},
	Measure: measureCommission,
})

// coinDays is how many days before the periods commission in a coin keeps the series of the
// coin alive, so that a graph does not break at midnight.
const coinDays = 31

// measureCommission adds the commission of each account, as far as it is collected.
func measureCommission(ctx context.Context, m *Measuring) error {
	wide := *m.question
	wide.Days.First -= coinDays
	all, err := sums.ByDay(ctx, wide.Tx, wide.Filter())
	if err != nil {
		return err
	}
	return m.ofAccounts(func(q *snapshot.Snapshot) error {
		list := slices.DeleteFunc(slices.Clone(all), func(s sums.DaySums) bool { return s.Account != q.Account })
		cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
		if err != nil {
			return err
		}
		coins := figures.TotalsOf(list)
		for _, period := range []struct {
			name string
			days affiliate.Days
		}{
			{"today", affiliate.Days{First: q.Today, Last: q.Today}},
			{"yesterday", affiliate.Days{First: q.Today - 1, Last: q.Today - 1}},
			{"month", monthOf(q.Today)},
		} {
			told := cover.Summary(period.days)
			m.add("commission_missing_days", decimal.NewFromInt(int64(told.Wanted-told.Collected)), string(q.Account), period.name)
			totals := figures.TotalsOf(figures.SumsWithin(list, period.days))
			complete := told.Wanted > 0 && told.Collected == told.Wanted
			for _, coin := range coins {
				sum := figures.TotalIn(totals, coin.Coin).Commission
				if !sum.IsZero() || complete { // zero is not known while commission may be missing
					m.add("commission", sum, string(q.Account), string(coin.Coin), period.name)
				}
			}
		}
		return nil
	})
}

// monthOf returns the days of the month up to today.
func monthOf(today affiliate.Day) affiliate.Days {
	year, month, _ := today.Date()
	return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: today}
}
