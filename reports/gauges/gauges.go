// Package gauges makes the figures that monitoring watches. It takes them from the reports of
// the pages and computes none a second time.
package gauges

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/sums"
)

// Report has the figures at one instant. What is not known has no entry.
type Report struct {
	Now         affiliate.Millis // the instant that the figures are about
	Commission  []Commission
	Days        []Days
	Streams     []Stream
	Outstanding []Outstanding
	Findings    map[string]int // open ones by kind; every kind of [attention.FindingKinds] has an entry
}

// Period is a range of reporting days up to today.
type Period string

// The periods.
const (
	PeriodToday     Period = "today"
	PeriodYesterday Period = "yesterday"
	PeriodMonth     Period = "month" // from its first day to today
)

// Commission is the commission of one account, coin and period, as far as it is collected.
type Commission struct {
	Account affiliate.Account
	Coin    affiliate.Coin
	Period  Period
	Sum     decimal.Decimal
}

// Days says how many days of a period are due and not wholly collected. Commission may be
// missing from the sums of the period if there are any.
type Days struct {
	Account affiliate.Account
	Period  Period
	Missing int
}

// Stream is how far one stream of an account is collected.
type Stream struct {
	Account   affiliate.Account
	Stream    affiliate.Stream
	Collected int              // reporting days
	Expected  int              // reporting days that are due and that the exchange gives
	Through   affiliate.Millis // everything before was read; unknown: nothing was
}

// Outstanding is what is due and was not paid.
type Outstanding struct {
	Account affiliate.Account
	Coin    affiliate.Coin
	Sum     decimal.Decimal
}

// Make makes the figures about money from one state of the store.
func Make(ctx context.Context, q *question.Question) (r Report, err error) {
	r.Now = affiliate.MillisOf(q.Now)
	days := q.Days
	days.First -= coinDays // the coins of the account
	wide := *q
	wide.Days = days
	list, err := sums.ByDay(ctx, q.Tx, wide.Filter())
	if err != nil {
		return r, err
	}
	for _, account := range q.Accounts {
		if account == "" { // nothing was ever collected
			continue
		}
		if err := r.earned(ctx, q.OfAccount(account), of(account, list)); err != nil {
			return r, fmt.Errorf("the account %q: %w", account, err)
		}
		if err := r.owed(ctx, q.OfAccount(account)); err != nil {
			return r, fmt.Errorf("the account %q: %w", account, err)
		}
	}
	return r, nil
}

// coinDays is how many days before the periods commission in a coin keeps the series of the
// coin alive, so that a graph does not break at midnight.
const coinDays = 31

// QueryOf returns the query of [Make]: the days from the first of the month, or from yesterday
// if that is earlier, to today.
func QueryOf(basis query.Query) query.Query {
	basis.Days = affiliate.Days{First: min(monthOf(basis.Today).First, basis.Today-1), Last: basis.Today}
	return basis
}

// monthOf returns the days of the month up to today.
func monthOf(today affiliate.Day) affiliate.Days {
	year, month, _ := today.Date()
	return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: today}
}

// of returns the sums of one account.
func of(account affiliate.Account, list []sums.DaySums) (own []sums.DaySums) {
	for _, s := range list {
		if s.Account == account {
			own = append(own, s)
		}
	}
	return own
}

// earned adds the commission of an account.
func (r *Report) earned(ctx context.Context, q *question.Question, list []sums.DaySums) error {
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return err
	}
	coins := figures.TotalsOf(list)
	for _, period := range []struct {
		name Period
		days affiliate.Days
	}{
		{PeriodToday, affiliate.Days{First: q.Today, Last: q.Today}},
		{PeriodYesterday, affiliate.Days{First: q.Today - 1, Last: q.Today - 1}},
		{PeriodMonth, monthOf(q.Today)},
	} {
		told := cover.Summary(period.days)
		r.Days = append(r.Days, Days{Account: q.Account, Period: period.name, Missing: told.Wanted - told.Collected})
		totals := figures.TotalsOf(figures.SumsWithin(list, period.days))
		complete := told.Wanted > 0 && told.Collected == told.Wanted
		for _, coin := range coins {
			sum := figures.TotalIn(totals, coin.Coin).Commission
			if !sum.IsZero() || complete { // zero is not known while commission may be missing
				r.Commission = append(r.Commission, Commission{Account: q.Account, Coin: coin.Coin, Period: period.name, Sum: sum})
			}
		}
	}
	return nil
}

// owed adds the outstanding payments of an account. Nothing is known of them without a payout
// rule, or if the exchange does not give the bills.
func (r *Report) owed(ctx context.Context, q *question.Question) error {
	paid, err := payments.MakeOverview(ctx, q)
	if err != nil {
		return err
	}
	if !paid.Ruled() || len(paid.Unread()) > 0 {
		return nil
	}
	for i := range paid.AllTime {
		balance := &paid.AllTime[i]
		r.Outstanding = append(r.Outstanding, Outstanding{Account: q.Account, Coin: balance.Coin, Sum: balance.Outstanding.Decimal()})
	}
	return nil
}

// Collected adds how far everything is collected.
func (r *Report) Collected(from collection.Report) {
	for _, s := range from.Streams {
		if s.Account == "" {
			continue
		}
		r.Streams = append(r.Streams, Stream{
			Account: s.Account, Stream: s.Stream,
			Collected: s.Coverage.Collected - s.OutOfReach, Expected: s.Coverage.Wanted - s.OutOfReach, Through: s.Coverage.Through,
		})
	}
}

// Found adds the open findings.
func (r *Report) Found(from attention.Report) {
	r.Findings = map[string]int{}
	for _, kind := range attention.FindingKinds() {
		r.Findings[kind] = 0
	}
	for _, f := range from.Findings {
		r.Findings[attention.FindingKind(f)]++
	}
}
