package attention

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report lists the findings at the time of the query. They concern the present, whatever
// range a page shows.
type Report struct {
	Query    query.Query
	Days     affiliate.Days // the last thirty reporting days
	Findings []Finding      // most severe first; equal ones by worth, largest first
}

// Finding is one of the types named …Finding.
type Finding interface {
	Severity() Severity
}

// Severity orders findings; a higher one is worse.
type Severity int

// Severities of findings.
const (
	SeverityInfo    Severity = iota // worth knowing
	SeverityWarning                 // worth a look
	SeverityAlert                   // figures are missing, and more will be
)

// Quiet reports whether no finding is more severe than SeverityInfo.
func (a Report) Quiet() bool {
	return !slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Severity() > SeverityInfo })
}

// Make makes the report.
func Make(ctx context.Context, q *question.Question) (Report, error) {
	present := *q
	present.Query = query.Query{Account: q.Account, Segment: q.Segment, Members: q.Members, AsOf: q.AsOf, Zone: q.Zone, Today: q.Today, Page: 1, Per: query.DefaultPer}
	w, err := newWatch(ctx, &present)
	if err != nil {
		return Report{}, err
	}
	view := Report{Query: q.Query, Days: w.Days}
	for _, look := range w.looks() {
		found, err := look(ctx)
		if err != nil {
			return view, err
		}
		view.Findings = append(view.Findings, found...)
	}
	w.order(view.Findings)
	return view, nil
}

// looks lists the checks. Those that cannot be divided by invitee are not for a user who sees
// some invitees only.
func (w *watch) looks() []func(context.Context) ([]Finding, error) {
	if w.Limited() && w.Segment == "" {
		return []func(context.Context) ([]Finding, error){w.gaps, w.drops, w.silent, w.rates, w.restated, w.concentration}
	}
	if w.Segment != "" { // the others are about whole accounts
		return []func(context.Context) ([]Finding, error){w.drops, w.silent, w.rates, w.restated, w.concentration}
	}
	return []func(context.Context) ([]Finding, error){
		w.gaps, w.refused, w.payments, w.runs, w.mails, w.shipping, w.drops, w.silent, w.agreed, w.rates, w.restated, w.concentration,
	}
}

// watch is a query about the present, with the data that several checks need.
type watch struct {
	*question.Question                          // its Days are the last [invitees.PresentDays]
	today              affiliate.Day            // of the requested state
	sums               []sums.DaySums           // of the usual days and of those since
	brought            []sums.ProductSums       // by invitees in the last [invitees.PresentDays]
	cover              *coverage.Map            // of commissions, since [invitees.RhythmDays] ago
	coin               affiliate.Coin           // for drops and concentration: the coin with most records
	prices             figures.Prices           // of all coins
	explained          map[sums.InviteeKey]bool // invitees whose rates deviate, which a finding says
}

func newWatch(ctx context.Context, q *question.Question) (*watch, error) {
	w := &watch{Question: q, today: affiliate.DayOf(q.Now, q.Zone)}
	w.Days = w.last(invitees.PresentDays)
	f := q.Filter()
	f.Days = affiliate.Days{First: w.today - 7 - overview.UsualDays, Last: w.today}
	var err error
	if w.sums, err = question.Read(ctx, q, "sums by day", f, sums.ByDay); err != nil {
		return nil, err
	}
	if w.brought, err = w.products(ctx, w.Days); err != nil {
		return nil, err
	}
	if w.cover, err = q.ReadCoverage(ctx, affiliate.Commissions, w.last(invitees.RhythmDays)); err != nil {
		return nil, err
	}
	totals := figures.TotalsOf(figures.SumsWithin(w.sums, w.Days))
	w.coin = figures.MainCoin(q.Coin, totals)
	coins, err := q.Coins(ctx)
	if err != nil {
		return nil, err
	}
	if w.prices, err = q.Prices(ctx, coins); err != nil {
		return nil, err
	}
	return w, nil
}

// last returns the range of the given number of days up to today.
func (w *watch) last(days int) affiliate.Days {
	return affiliate.Days{First: w.today - affiliate.Day(days) + 1, Last: w.today}
}

// filterOf returns the same query for other days.
func (w *watch) filterOf(days affiliate.Days) records.CommissionFilter {
	f := w.Filter()
	f.Days = days
	return f
}

// products returns the sums by invitee and product of some days. They are shared.
func (w *watch) products(ctx context.Context, days affiliate.Days) ([]sums.ProductSums, error) {
	return question.OfDays(ctx, w.Question, "sums by product", w.filterOf(days), sums.ProductsOfInvitees, sums.JoinProducts)
}

// matters reports whether an amount is worth a look.
func (w *watch) matters(amount decimal.Decimal, coin affiliate.Coin) bool {
	return w.prices.Matters(amount, coin)
}

// collected reports whether all of the days are over and collected.
func (w *watch) collected(days affiliate.Days) bool {
	for day := days.First; day <= days.Last; day++ {
		if w.cover.State(day) != coverage.DayCollected {
			return false
		}
	}
	return true
}
