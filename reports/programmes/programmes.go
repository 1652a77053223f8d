// Package programmes shows several affiliate programmes side by side: each account is one.
package programmes

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Accepted are the parameters of the report.
var Accepted = query.AcceptedParams{Taken: []string{"range", "from", "to", "account", "product", "coin", "source", "code", "segment", "as_of"}}

// Report has a column for each programme, and one for all of them together.
type Report struct {
	Query      query.Query
	Coverage   coverage.Coverage
	Empty      coverage.EmptyKind // not "" when there is no commission to show
	Coins      []affiliate.Coin   // of the commission of all programmes, most records first
	Programmes []Column           // by account
	Total      Column             // of the whole query: the sum of all columns
	Daily      figures.Lines      // converted commission by day or week, a line for each programme
	Options    snapshot.Options
	// UnknownCode counts the records of the range whose invitee's code is not known, if the
	// query is for an invite code. They are not part of the answer.
	UnknownCode int64
}

// Column is one programme, or all of them.
type Column struct {
	Account       affiliate.Account // empty: all
	Sheet         *affiliate.Sheet  // what the exchange of the account gives; nil: not known, or of all
	Coverage      coverage.Coverage
	Totals        []figures.Totals  // by coin
	Valued        figures.Valuation // commission of all coins, converted
	Share         figures.Ratio     // of the converted commission of all programmes
	Volume        decimal.Decimal   // of all coins, see [figures.VolumeOf]
	Registered    figures.Count
	ActiveTraders figures.Count
	// Outstanding is what is due and was not paid, of all time; it does not depend on the range,
	// and of the filters only on the coin. It is empty if WhyNoPayments is not.
	Outstanding      []affiliate.Amount
	OutstandingWorth figures.Valuation
	Excess           []affiliate.Amount // what was paid twice, too much or for no period, likewise
	WhyNoPayments    string
}

// In returns the totals of one coin.
func (p Column) In(coin affiliate.Coin) figures.Totals {
	return figures.TotalIn(p.Totals, coin)
}

// Rate returns the commission of a coin as a share of the net fees in it.
func (p Column) Rate(coin affiliate.Coin) figures.Ratio {
	t := p.In(coin)
	return figures.QuotientOf(t.Commission, t.Fee)
}

// Reasons why outstanding payments are not known.
const (
	noRule    = "no rule is known by which this account is paid"
	undivided = "payments cannot be divided by invitee, and you see some invitees only"
)

// Make answers the query, which takes [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (view Report, err error) {
	view.Query = q.Query
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if view.UnknownCode, err = q.UnknownCode(ctx); err != nil {
		return view, err
	}
	if view.Total, _, err = programme(ctx, q); err != nil {
		return view, err
	}
	view.Coverage = view.Total.Coverage
	for _, t := range view.Total.Totals {
		view.Coins = append(view.Coins, t.Coin)
	}
	view.Daily = figures.Lines{Of: "Converted commission per day", Unit: string(figures.ValuedIn), Steps: stepsOf(q.Days), Open: q.OpenDay()}
	if q.Days.Len() > mostDays {
		view.Daily.Of = "Converted commission per week"
	}
	var whole figures.Portions
	for _, account := range q.Accounts {
		one, days, err := programme(ctx, q.OfAccount(account))
		if err != nil {
			return view, fmt.Errorf("the account %q: %w", account, err)
		}
		one.Account, one.Sheet = account, q.Sheet(account)
		whole.Add(one.Valued.Total)
		view.Programmes = append(view.Programmes, one)
		view.Daily.Parts = append(view.Daily.Parts, days.curve(string(account), view.Daily.Steps))
	}
	for i := range view.Programmes {
		view.Programmes[i].Share = whole.Share(view.Programmes[i].Valued.Total)
	}
	view.Total.Share = whole.ShareOfRest(whole)
	if figures.RecordsOf(view.Total.Totals) == 0 {
		view.Empty, err = q.WhyEmpty(ctx, view.Coverage)
	}
	return view, err
}

// programme makes the column of the accounts of a query, and its converted days.
func programme(ctx context.Context, q *snapshot.Snapshot) (p Column, days convertedDays, err error) {
	list, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return p, days, err
	}
	cover, summary, err := q.Covered(ctx)
	if err != nil {
		return p, days, err
	}
	p.Coverage, p.Totals = summary, figures.TotalsOf(list)
	p.Volume = figures.VolumeOf(p.Totals)
	valued, err := q.Valued(ctx, list, figures.Reference{})
	if err != nil {
		return p, days, err
	}
	p.Valued = valued.Valuation
	brought, err := invitees.ReadTotals(ctx, q, q.Filter())
	if err != nil {
		return p, days, err
	}
	counts, err := invitees.CountPeople(ctx, q, q.Days, int64(len(brought)))
	if err != nil {
		return p, days, err
	}
	cards, err := invitees.MakeCards(ctx, q, counts, nil, figures.Reference{})
	if err != nil {
		return p, days, err
	}
	p.Registered, p.ActiveTraders = cards.Registered, cards.ActiveTraders
	return p, convertedDays{p.Valued.ByDay(figures.CommissionDays(list)), cover}, p.owe(ctx, q)
}

// owe adds what is due and was not paid.
func (p *Column) owe(ctx context.Context, q *snapshot.Snapshot) error {
	if q.Visible.Limited() {
		p.WhyNoPayments = undivided
		return nil
	}
	paid, err := payments.MakeOverview(ctx, q)
	if err != nil {
		return err
	}
	if !paid.Ruled() {
		p.WhyNoPayments = noRule
		return nil
	}
	p.OutstandingWorth = paid.UnpaidWorth
	p.Outstanding, p.Excess = payments.Amounts(paid.AllTime, payments.NotPaid), payments.Amounts(paid.AllTime, payments.Excess)
	return nil
}

// mostDays is the maximum number of daily steps; longer ranges are drawn by week.
const mostDays = 120

// stepsOf divides days into single days, or a long range into weeks from Monday, of which the
// first and the last contain only the days of the range.
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

// convertedDays are the converted sums of days.
type convertedDays struct {
	of    map[affiliate.Day]decimal.Decimal
	cover *coverage.Map
}

// curve returns the line of a programme. A step is unknown if nothing can be said of one of its
// days.
func (d convertedDays) curve(name string, steps []affiliate.Days) figures.Curve {
	c := figures.Curve{Name: name, Values: make([]decimal.Decimal, len(steps)), Known: make([]bool, len(steps))}
	for i, step := range steps {
		c.Known[i] = true
		for day := step.First; day <= step.Last; day++ {
			c.Values[i] = c.Values[i].Add(d.of[day])
			c.Known[i] = c.Known[i] && d.cover.State(day).Tells(d.of[day])
		}
	}
	return c
}
