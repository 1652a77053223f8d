package cohorts

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report follows the invitees who registered in the same week or month. The range of the
// query is that of registrations; commission counts whenever it was earned. Ages are
// counted in calendar weeks or months, so that age 0 is the week or month of registration
// itself.
type Report struct {
	Query    query.Query
	Period   sums.CohortPeriod
	Coverage coverage.Coverage // of the registrations of the range
	Earned   coverage.Coverage // of the commissions since the first day of the range
	Empty    coverage.EmptyKind
	Coin     affiliate.Coin // of amounts: the requested coin, otherwise that of most records; empty: nothing was earned
	Coins    []affiliate.Coin
	Cohorts  []Cohort // newest first
	Means    []Mean
	Invitees int64 // of all cohorts
	AtLeast  bool  // not all invitees of some cohorts are known
	Options  snapshot.Options
}

// Figures that a cohort table can show: names of Query.Metric.
const (
	MetricTraders    = "traders"    // users who traded, in percent of the cohort
	MetricCommission = "commission" // commission of the period per registered user
	MetricCumulative = "cumulative" // commission up to the end of the period per registered user
)

// Metrics lists the figures in the order they are offered.
func Metrics() []string { return []string{MetricTraders, MetricCommission, MetricCumulative} }

// Periods lists the values of Query.By in the order they are offered.
func Periods() []string { return []string{string(sums.CohortMonth), string(sums.CohortWeek)} }

// Most is the largest number of cohorts in a table. The number of cells is about
// half its square.
const Most = 106

// Foreign lists the parameters by which cohorts cannot be narrowed.
var Foreign = []string{"q"}

// Make answers the query for a table of cohorts.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	if q.Query.Text != "" {
		return Report{Query: q.Query}, &query.ParamError{Param: "q", Value: q.Query.Text, Problem: "cannot be used here: cohorts are whole; narrow them by code or uid"}
	}
	if q.Query.Page > 1 {
		return Report{Query: q.Query}, &query.ParamError{Param: "page", Value: fmt.Sprint(q.Query.Page), Problem: "there are 1 pages: the table is whole"}
	}
	view, err := cohorts(ctx, q)
	if err != nil {
		return view, err
	}
	view.Options, err = q.Options(ctx)
	return view, err
}

func cohorts(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view := Report{Query: q.Query, Period: sums.CohortPeriod(q.By)}
	today := affiliate.DayOf(q.Now, q.Zone)
	days := affiliate.Days{First: q.Days.First, Last: min(q.Days.Last, today)}
	steps := periodsOf(days, view.Period)
	if len(steps) > Most {
		return view, &query.ParamError{Param: "by", Value: q.By, Problem: fmt.Sprintf("makes %d cohorts of this range, and a table holds %d: ask for fewer days, or by=month", len(steps), Most)}
	}
	known, err := readKnowledge(ctx, q, days, view.Period)
	if err != nil {
		return view, err
	}
	view.Coverage, view.Earned = known.registered.Summary(q.Days), known.earned.Summary(known.since)
	if view.Coverage.LastRun, err = q.NewestRun(ctx); err != nil {
		return view, err
	}
	f := q.Filter()
	f.Days = days
	var stored []sums.CohortSums
	if len(steps) > 0 { // without days the store would return everyone
		if stored, err = readCohorts(ctx, q, f, view.Period); err != nil {
			return view, err
		}
	}
	if len(stored) == 0 {
		view.Empty, err = emptyCohorts(ctx, q, f, view)
		return view, err
	}
	view.Coins = coinsOf(stored)
	if view.Coin = figures.OnlyCoin(q.Coin); view.Coin == "" && len(view.Coins) > 0 {
		view.Coin = view.Coins[0]
	}
	view.fill(steps, stored, known)
	view.Means = meansOf(view.Cohorts)
	slices.Reverse(view.Cohorts)
	return view, nil
}

// readCohorts reads the cohorts of a filter.
func readCohorts(ctx context.Context, q *snapshot.Snapshot, f records.CommissionFilter, p sums.CohortPeriod) ([]sums.CohortSums, error) {
	by, err := sums.CohortsOf(f.Days, p)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("cohorts by %s of %s to %s", p, f.Days.First, f.Days.Last)
	f.Days = sums.EveryDay
	return snapshot.OfDays(ctx, q, name, f, by, sums.JoinCohorts)
}

// fill lays out the cohorts, starting with the first that has a known invitee.
func (view *Report) fill(steps []affiliate.Days, stored []sums.CohortSums, known *cohortKnowledge) {
	for _, step := range steps {
		whole := periodAt(step.First, view.Period)
		i := slices.IndexFunc(stored, func(c sums.CohortSums) bool { return c.First == whole.First })
		if i < 0 && len(view.Cohorts) == 0 {
			continue
		}
		c := Cohort{Days: step, Whole: whole, Unknown: known.whyNotAll(step)}
		if i >= 0 {
			c.fill(stored[i], view.Coin)
		}
		c.age(known)
		view.Invitees += c.Invitees
		view.AtLeast = view.AtLeast || c.Unknown != ""
		view.Cohorts = append(view.Cohorts, c)
	}
}

// coinsOf returns the coins that cohorts earned, the one with most records first.
func coinsOf(cohorts []sums.CohortSums) []affiliate.Coin {
	sums := figures.CoinTotals{}
	for _, c := range cohorts {
		for _, age := range c.Ages {
			for _, coin := range age.Coins {
				sums.Add([]figures.Totals{{Coin: coin.Coin, Records: coin.Records}})
			}
		}
	}
	var coins []affiliate.Coin
	for _, t := range sums.Totals() {
		coins = append(coins, t.Coin)
	}
	return coins
}

// emptyCohorts returns why there are no cohorts.
func emptyCohorts(ctx context.Context, q *snapshot.Snapshot, f records.CommissionFilter, view Report) (coverage.EmptyKind, error) {
	if q.Filtered() && f.Days.Len() > 0 {
		all, err := readCohorts(ctx, q, records.CommissionFilter{Days: f.Days, Members: q.Visible, AsOf: f.AsOf}, view.Period)
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(all) > 0 {
			return coverage.EmptyFiltered, nil
		}
	}
	return q.WhyNothing(ctx, view.Coverage)
}

// Mean is the mean at an age over the cohorts for which it is complete, weighted by their
// size. A cohort cut by the range is excluded.
type Mean struct {
	Age        int
	Cohorts    int   // cohorts whose cell counts
	Invitees   int64 // invitees of these cohorts
	Active     int64
	Commission decimal.Decimal
	Totalled   int   // cohorts for which every earlier age is complete, too
	Totallers  int64 // invitees of these cohorts
	Total      decimal.Decimal
}

// Percent returns the percentage of invitees who traded.
func (m Mean) Percent() figures.Ratio { return figures.ShareOfCount(m.Active, m.Invitees) }

// PerUser returns the commission of the period, or up to its end, per registered user. It
// returns false if no cohort is complete for it.
func (m Mean) PerUser(cumulative bool) (decimal.Decimal, bool) {
	if cumulative {
		return perUser(m.Total, m.Totallers)
	}
	return perUser(m.Commission, m.Invitees)
}

// perUser is rounded to 8 decimals.
func perUser(amount decimal.Decimal, users int64) (decimal.Decimal, bool) {
	if users == 0 {
		return decimal.Decimal{}, false
	}
	return amount.DivRound(decimal.NewFromInt(users), 8), true
}

func meansOf(cohorts []Cohort) []Mean {
	var means []Mean
	for _, c := range cohorts {
		counts := c.Invitees > 0 && c.Complete()
		for i, cell := range c.Cells {
			if len(means) == i {
				means = append(means, Mean{Age: i})
			}
			m := &means[i]
			if counts && cell.Immature == "" {
				m.Cohorts++
				m.Invitees += c.Invitees
				m.Active += cell.Active
				m.Commission = m.Commission.Add(cell.Commission)
			}
			if counts && cell.TotalImmature == "" {
				m.Totalled++
				m.Totallers += c.Invitees
				m.Total = m.Total.Add(cell.Total)
			}
		}
	}
	return means
}
