package net

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/statements"
	stored "rebatedesk/store/statements"
	"rebatedesk/store/sums"
)

// Report says what is left of the commission of a month. Commission and costs are of reporting days, shares of
// UTC days, as the exchange counts sub-affiliates.
type Report struct {
	Query    query.Query
	Options  snapshot.Options
	Today    affiliate.Day     // of the requested state
	Coverage coverage.Coverage // of the commission of the month
	Shared   coverage.Coverage // of the figures of sub-affiliates in the month
	Dues     returns.Dues      // of the month
	Costed   []*returns.Row    // what costs fell due for, with what its invitees brought
	Months   []Month           // the newest first, the requested one before all
	Shares   statements.MonthShares
}

// Month returns the requested month.
func (r *Report) Month() *Month { return &r.Months[0] }

// Month is what is left of the commission of one month.
type Month struct {
	Days   affiliate.Days
	Coins  []Line // by coin
	Total  Total
	Apart  []affiliate.Amount // shares without a coin: one amount, or none
	Issued int                // sub-affiliates whose share is that of an issued statement
	Drafts int                // sub-affiliates whose share is that of the figures of now
	// Unagreed counts sub-affiliates with business with whom no share is agreed: nothing is taken off for them.
	Unagreed int
	// Unread tells that nothing of the commission was read: it is unknown, not zero.
	Unread bool
	Whole  bool // commission is collected completely
}

// Line is what is left in one coin.
type Line struct {
	Coin affiliate.Coin
	Commission, Shares,
	Costs decimal.Decimal
	// Why is why net is not known, nor what it lacks; empty: it is known.
	Why string
	// CostsUnknown tells that the costs are what is not known; otherwise it is the commission.
	CostsUnknown bool
}

// Net is commission − shares − costs.
func (l *Line) Net() decimal.Decimal { return l.Commission.Sub(l.Shares).Sub(l.Costs) }

// Total is all coins together, each day at its own price.
type Total struct {
	Commission, Shares, Costs figures.Valuation
	Why                       string // why net is not known; empty: it is known
	CostsUnknown              bool
}

// Net is commission − shares − costs, converted.
func (t *Total) Net() decimal.Decimal {
	return t.Commission.Total.Sub(t.Shares.Total).Sub(t.Costs.Total)
}

// Missing are the amounts in coins without a price, which the converted figures leave out.
func (t *Total) Missing() []affiliate.Amount {
	return statements.AddUp(slices.Concat(t.Commission.Missing, t.Shares.Missing, t.Costs.Missing))
}

// Accepted are the parameters of the report. Costs and shares are of no account, and shares of no code and no
// segment, so it cannot be narrowed by them.
var Accepted = query.AcceptedParams{Taken: []string{"month", "coin", "as_of"}, Usual: query.MonthTo, Months: true}

// mostMonths is how many months the report goes back.
const mostMonths = 12

// Make answers the query for what is left of a month. It takes [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (r Report, err error) {
	r.Query, r.Today = q.Query, affiliate.DayOf(q.Now, q.Zone)
	if r.Options, err = q.Options(ctx); err != nil {
		return r, err
	}
	first := r.Today
	if q.Month != "" {
		first = q.Days.First
	}
	asked := statements.WholeMonth(first)
	months, err := monthsBefore(ctx, q, asked, r.Today)
	if err != nil {
		return r, err
	}
	whole := affiliate.Days{First: months[len(months)-1].First, Last: asked.Last}
	all, err := read(ctx, q, whole)
	if err != nil {
		return r, err
	}
	for _, days := range months {
		r.Months = append(r.Months, all.month(days))
	}
	r.Coverage = all.cover.Summary(asked)
	r.Shares = all.shares[asked.First]
	r.Shared = r.Shares.Coverage
	r.Dues = all.dues.within(asked)
	if len(r.Dues.List)+len(r.Dues.Unknown) > 0 {
		r.Costed, err = returns.OfDays(ctx, q, asked)
	}
	return r, err
}

// monthsBefore lists the asked month and those before it that have data or costs could be of, the newest first.
func monthsBefore(ctx context.Context, q *snapshot.Snapshot, asked affiliate.Days, today affiliate.Day) ([]affiliate.Days, error) {
	oldest, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	list := []affiliate.Days{asked}
	for len(list) < mostMonths && list[len(list)-1].First > oldest {
		list = append(list, statements.WholeMonth(list[len(list)-1].First-1))
	}
	return list, nil
}

// parts are commission, shares and costs of some months.
type parts struct {
	coin         affiliate.Coin // of the query
	cover        *coverage.Map
	commission   figures.DayAmounts
	owed         figures.DayAmounts // shares that have a coin
	costs        figures.DayAmounts
	shares       map[affiliate.Day]statements.MonthShares // by the first day of the month
	dues         duesOf
	valuedEarned figures.Valuation
	valuedOwed   figures.Valuation
	valuedCosts  figures.Valuation
}

// asks reports whether the query is about a coin.
func (p *parts) asks(coin affiliate.Coin) bool {
	return p.coin == "" || affiliate.AsksFor(p.coin, coin)
}

// read reads the parts of some whole months.
func read(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) (*parts, error) {
	of := q.Everywhere()
	of.Range, of.Query.Days = query.Custom, days
	p := &parts{coin: q.Coin, commission: figures.DayAmounts{}, owed: figures.DayAmounts{}, costs: figures.DayAmounts{}, shares: map[affiliate.Day]statements.MonthShares{}}
	var err error
	if p.cover, err = of.ReadCoverage(ctx, affiliate.Commissions, days); err != nil {
		return nil, err
	}
	list, err := sums.ByDay(ctx, q.Tx, of.Filter())
	if err != nil {
		return nil, err
	}
	p.commission.AddCommission(list)
	issued, err := stored.InMonths(ctx, q.Tx, days.First, days.Last, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	for first := days.First; first <= days.Last; first = statements.WholeMonth(first).Last + 1 {
		at := *of
		at.Query.Days = statements.WholeMonth(first)
		m, err := statements.MakeMonth(ctx, &at)
		if err != nil {
			return nil, err
		}
		shares := m.With(issued)
		p.shares[first] = shares
		for i := range shares.Shares {
			for _, line := range shares.Shares[i].Lines {
				if line.Coin != "" && p.asks(line.Coin) {
					add(p.owed, line.Coin, line.Day, line.Due)
				}
			}
		}
	}
	dues, err := returns.Due(ctx, q, days)
	if err != nil {
		return nil, err
	}
	p.dues = duesOf{dues}
	for _, d := range dues.List {
		if p.asks(d.Coin) {
			add(p.costs, d.Coin, d.Day, d.Sum)
		}
	}
	for _, part := range []struct {
		amounts figures.DayAmounts
		to      *figures.Valuation
	}{{p.commission, &p.valuedEarned}, {p.owed, &p.valuedOwed}, {p.costs, &p.valuedCosts}} {
		if *part.to, err = q.Valuation(ctx, part.amounts); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func add(amounts figures.DayAmounts, coin affiliate.Coin, day affiliate.Day, amount decimal.Decimal) {
	if amounts[coin] == nil {
		amounts[coin] = map[affiliate.Day]decimal.Decimal{}
	}
	amounts[coin][day] = amounts[coin][day].Add(amount)
}

// duesOf are the costs of several months.
type duesOf struct{ returns.Dues }

// within returns those of some days.
func (d duesOf) within(days affiliate.Days) returns.Dues {
	part := returns.Dues{Unlisted: d.Unlisted, Undated: d.Undated}
	for _, one := range d.List {
		if days.Contains(one.Day) {
			part.List = append(part.List, one)
		}
	}
	for _, one := range d.Unknown {
		if one.Touches(days) {
			part.Unknown = append(part.Unknown, one)
		}
	}
	return part
}

// unread is why the commission of a month is unknown.
const unread = "no commission of this month was read"

// month puts the parts of one month together.
func (p *parts) month(days affiliate.Days) Month {
	m := Month{Days: days}
	covered := p.cover.Summary(days)
	m.Unread, m.Whole = !covered.Begun, covered.Complete()
	lines := map[affiliate.Coin]*Line{}
	line := func(coin affiliate.Coin) *Line {
		if lines[coin] == nil {
			lines[coin] = &Line{Coin: coin}
		}
		return lines[coin]
	}
	for _, part := range []struct {
		amounts figures.DayAmounts
		to      func(*Line) *decimal.Decimal
	}{
		{p.commission, func(l *Line) *decimal.Decimal { return &l.Commission }},
		{p.owed, func(l *Line) *decimal.Decimal { return &l.Shares }},
		{p.costs, func(l *Line) *decimal.Decimal { return &l.Costs }},
	} {
		for coin, of := range part.amounts {
			for day, amount := range of {
				if days.Contains(day) {
					to := part.to(line(coin))
					*to = to.Add(amount)
				}
			}
		}
	}
	m.Total = Total{Commission: p.valuedEarned.Within(days, p.commission), Shares: p.valuedOwed.Within(days, p.owed), Costs: p.valuedCosts.Within(days, p.costs)}
	for _, u := range p.dues.within(days).Unknown {
		if p.asks(u.Coin) {
			l := line(u.Coin)
			l.Why, l.CostsUnknown = u.Why, true
			m.Total.Why, m.Total.CostsUnknown = u.Why, true
		}
	}
	if m.Unread {
		for _, l := range lines {
			l.Why = cmp.Or(l.Why, unread)
		}
		m.Total.Why = cmp.Or(m.Total.Why, unread)
	}
	for _, l := range lines {
		m.Coins = append(m.Coins, *l)
	}
	slices.SortFunc(m.Coins, func(a, b Line) int {
		return cmp.Or(figures.CompareCoins(a.Coin, b.Coin), cmp.Compare(a.Coin, b.Coin))
	})
	shares := p.shares[days.First]
	for i := range shares.Shares {
		s := &shares.Shares[i]
		switch {
		case !s.Agreed:
			m.Unagreed++
		case s.Issued != nil:
			m.Issued++
		default:
			m.Drafts++
		}
		for _, due := range s.Due() {
			if due.Coin == "" {
				m.Apart = statements.AddUp(append(m.Apart, due))
			}
		}
	}
	return m
}
