package returns

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/store/costs"
	"rebatedesk/store/sums"
)

// settle converts the amounts of each row and says what is not final.
func (d *desk) settle(ctx context.Context) error {
	var err error
	if d.book, err = d.rates(ctx); err != nil {
		return err
	}
	cover, err := d.ReadCoverage(ctx, affiliate.Commissions, d.days())
	if err != nil {
		return err
	}
	listed, err := d.ListedCoverage(ctx)
	if err != nil {
		return err
	}
	for _, r := range d.rows {
		r.weigh(r.spent, r.earned, d.book)
		r.judge(d, cover, listed)
	}
	return nil
}

// rates reads the rates of all days on which anything was spent or earned.
func (d *desk) rates(ctx context.Context) (rateBook, error) {
	all := dayAmounts{}
	for _, r := range d.rows {
		addAll(all, r.spent)
		addAll(all, r.earned)
	}
	book := rateBook{}
	if _, sole := soleCoin(all); sole {
		return book, nil // nothing has to be converted
	}
	for coin, days := range all {
		if coin == figures.ValuedIn {
			continue
		}
		rates, err := d.DayRates(ctx, coin, sortedDays(days))
		if err != nil {
			return nil, err
		}
		for _, rate := range rates {
			if book[coin] == nil {
				book[coin] = map[affiliate.Day]figures.DayRate{}
			}
			book[coin][rate.Day] = rate
		}
	}
	return book, nil
}

// weigh sets the amounts of a row: in their only coin, or else converted, each day at its rate.
func (r *Row) weigh(spent, earned dayAmounts, book rateBook) {
	coin, sole := soleCoin(spent, earned)
	if !sole && len(spent)+len(earned) == 0 && len(r.Costs) > 0 {
		coin, sole = r.Costs[0].Coin, true
	}
	if sole {
		r.Coin, r.course = coin, course{spent[coin], earned[coin]}
	} else {
		r.Coin, r.Converted = figures.ValuedIn, true
		r.Spent, r.course.spent = book.convert(spent)
		r.Earned, r.course.earned = book.convert(earned)
		for _, missing := range r.Spent.Missing {
			r.Why = "there is no rate of " + string(missing.Coin) + ", in which a cost is"
		}
		for _, missing := range r.Earned.Missing {
			r.NotFinal.Unrated = append(r.NotFinal.Unrated, missing.Coin)
		}
	}
	for _, amount := range r.course.spent {
		r.Cost = r.Cost.Add(amount)
	}
	for _, amount := range r.course.earned {
		r.Commission = r.Commission.Add(amount)
	}
}

// live finds what each row cost and brought from its first cost to the present, and all together.
func (d *desk) live(ctx context.Context) (together Life, err error) {
	whole := d
	if d.Range != query.AllTime {
		first, err := sums.FirstDay(ctx, d.Tx, d.today)
		if err != nil {
			return together, err
		}
		ever := *d.Snapshot
		ever.Range, ever.Query.Days = query.AllTime, affiliate.Days{First: first, Last: d.today}
		if whole, err = open(ctx, &ever); err != nil {
			return together, err
		}
		if err := whole.read(ctx); err != nil {
			return together, err
		}
	}
	type target struct {
		scope costs.Scope
		value string
	}
	found := map[target]Life{}
	for _, r := range whole.rows {
		found[target{r.Scope, r.Value}] = r.life()
	}
	for _, r := range d.rows {
		r.Life = found[target{r.Scope, r.Value}]
	}
	if all := whole.total(); all != nil {
		together = all.life()
	}
	return together, nil
}

// judge says why nothing is known about the return of a row, or what is not final.
func (r *row) judge(d *desk, cover *coverage.Map, listed coverage.Coverage) {
	sum := cover.Summary(r.Days)
	perInvitee := false
	for _, c := range r.Costs {
		r.NotFinal.Running = r.NotFinal.Running || c.Runs
		perInvitee = perInvitee || c.Kind == costs.PerRegistration || c.Kind == costs.PerFirstTrade
	}
	r.NotFinal.Open = r.Days.Range(d.Zone).To.Add(affiliate.Settling).After(d.Now)
	r.NotFinal.Missing = max(0, sum.Wanted-sum.Collected)
	r.NotFinal.Unlisted = perInvitee && !listed.Complete()
	switch {
	case r.Why != "":
	case r.problem != "":
		r.Why = r.problem
	case r.Days.Len() <= 0 && r.Costs[0].First > d.today:
		r.Why = "the first cost falls due on " + r.Costs[0].First.Format("2 January 2006")
	case r.Days.Len() <= 0:
		r.Why = "the range ends before the first cost"
	case !sum.Begun:
		r.Why = "none of these days is collected"
	}
}

// total returns all rows as one, with each invitee once; nil if an amount cannot be converted, nothing is
// known about a row that costs anything, or nothing was spent or came.
func (d *desk) total() *Row {
	all := &Row{Days: d.days()}
	spent := dayAmounts{}
	for _, r := range d.rows {
		if !r.Known() && !r.Cost.IsZero() {
			return nil
		}
		addAll(spent, r.spent)
		all.Costs = append(all.Costs, r.Costs...)
		all.NotFinal.Running = all.NotFinal.Running || r.NotFinal.Running
		all.NotFinal.Open = all.NotFinal.Open || r.NotFinal.Open
		all.NotFinal.Unlisted = all.NotFinal.Unlisted || r.NotFinal.Unlisted
		all.NotFinal.Missing = max(all.NotFinal.Missing, r.NotFinal.Missing)
	}
	if len(spent)+len(d.union) == 0 {
		return nil
	}
	if all.weigh(spent, d.union, d.book); !all.Known() {
		return nil
	}
	return all
}

// orders are the columns by which rows are sorted. Rows whose value is not known come last.
var orders = map[string]func(a, b *Row) int{
	"cost":       func(a, b *Row) int { return a.Cost.Cmp(b.Cost) },
	"commission": func(a, b *Row) int { return a.Commission.Cmp(b.Commission) },
	"return":     func(a, b *Row) int { return a.Return().Cmp(b.Return()) },
	"percent":    func(a, b *Row) int { return a.Percent().Compare(b.Percent()) },
	"paid_back":  func(a, b *Row) int { return cmp.Compare(a.Life.PaidBack, b.Life.PaidBack) },
}

// coinSorts are the columns that are sorted within each coin.
var coinSorts = []string{"cost", "commission", "return"}

func order(rows []*Row, by query.Sort) {
	compare := orders[by.Field]
	slices.SortStableFunc(rows, func(a, b *Row) int {
		name := cmp.Or(cmp.Compare(slices.Index(costs.Scopes(), a.Scope), slices.Index(costs.Scopes(), b.Scope)), cmp.Compare(a.Value, b.Value))
		c := name
		if compare != nil {
			if c = cmp.Compare(unknown(a), unknown(b)); c != 0 {
				return c
			}
			c = compare(a, b)
		}
		if by.Descending {
			c = -c
		}
		if slices.Contains(coinSorts, by.Field) {
			return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), c, name)
		}
		return cmp.Or(c, name)
	})
}

func unknown(r *Row) int {
	if r.Known() {
		return 0
	}
	return 1
}

// mostDays is the maximum number of daily steps; longer ranges are drawn by week.
const mostDays = 120

// lines draws what was spent and what was earned, from the first cost, or from the first day of the range, to
// each day.
func (r *Row) lines() figures.Lines {
	steps := stepsOf(r.Days)
	spent, earned := r.course.until(steps)
	since := "the first cost"
	if r.Life.Known && r.Life.Days.First != r.Days.First {
		since = r.Days.First.Format("2 January 2006")
	}
	l := figures.Lines{Of: "Commission and cost since " + since, Unit: string(r.Coin), Steps: steps}
	l.Parts = []figures.Curve{{Name: "Commission", Values: earned}, {Name: "Cost", Values: spent}}
	return l
}

// stepsOf divides days into single days, or a long range into weeks from Monday.
func stepsOf(days affiliate.Days) (steps []affiliate.Days) {
	weekly := days.Len() > mostDays
	for day := days.First; day <= days.Last; day++ {
		if len(steps) == 0 || !weekly || day.Weekday() == time.Monday {
			steps = append(steps, affiliate.Days{First: day})
		}
		steps[len(steps)-1].Last = day
	}
	return steps
}

// percentOf returns a part of the cost of a row.
func (r *Row) percentOf(part decimal.Decimal) figures.Ratio {
	return figures.QuotientOf(part, r.Cost)
}
