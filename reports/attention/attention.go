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
		failed, err := w.Guard.Part("looking for "+look.of, func() error {
			found, err := look.make(ctx)
			view.Findings = append(view.Findings, found...)
			return err
		})
		if err != nil {
			return view, err
		}
		if failed {
			view.Findings = append(view.Findings, FaultFinding{Check: look.of})
		}
	}
	w.order(view.Findings)
	return view, nil
}

// FaultFinding says that a check could not be made, by a fault of this program: there may be more
// findings.
type FaultFinding struct{ Check string } // what it looks for

// Severity is an alert: what the check would find is not known.
func (FaultFinding) Severity() Severity { return SeverityAlert }

// look is a check.
type look struct {
	of   string // what it looks for
	make func(context.Context) ([]Finding, error)
	some bool // it can be divided by invitee
}

// looks lists the checks. A user who sees some invitees only has those that can be divided by
// invitee, and missing days; a segment has the former alone.
func (w *watch) looks() []look {
	list := []look{
		{"missing days", w.gaps, w.Segment == ""},
		{"what the exchange refuses", w.refused, false},
		{"missing payments", w.payments, false},
		{"failed collections", w.runs, false},
		{"failed mail", w.mails, false},
		{"failed deliveries", w.shipping, false},
		{"drops", w.drops, true},
		{"silent invitees", w.silent, true},
		{"agreed rates", w.agreed, false},
		{"changed rates", w.rates, true},
		{"restated figures", w.restated, true},
		{"concentration", w.concentration, true},
	}
	if w.Limited() || w.Segment != "" {
		list = slices.DeleteFunc(list, func(l look) bool { return !l.some })
	}
	return list
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
