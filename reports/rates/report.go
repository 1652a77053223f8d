package rates

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Report compares agreed with paid rates in the days of a query.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage
	Empty    coverage.EmptyKind // not "" when no record is judged

	Terms       int   // about commission records, in force at the instant of the query
	Judged      int64 // records with a term
	Unagreed    int64 // records without one
	Provisional bool  // a tier of the month in progress decides about some records

	Balances   []Balance   // by coin, the one with most records first
	Deviations []Deviation // what was underpaid first, then what was overpaid; the most costly first
	Course     Course      // of the findings

	Lines   []Line // one page
	Count   int
	Pages   int // at least 1
	Options snapshot.Options
}

// Balance is what was agreed and paid in one coin, of the records that are compared.
type Balance struct {
	CoinCost
	Causes []CauseSum // in the order of [Causes]; their records and differences add up to those of the coin
}

// CauseSum is the records with one cause.
type CauseSum struct {
	Cause      Cause
	Records    int64
	Fee        decimal.Decimal
	Difference decimal.Decimal // commission − due; of unknown amounts 0
}

// Accepted are the parameters of the report and of its files.
var Accepted = query.AcceptedParams{
	Taken: []string{"range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q", "sort", "page", "per", "as_of"},
	Sorts: LineSorts, Order: query.Sort{Field: "account"},
}

// Make answers the query, which takes [Accepted], for what was agreed and what was
// paid.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view := Report{Query: q.Query}
	var err error
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if _, view.Coverage, err = q.Covered(ctx); err != nil {
		return view, err
	}
	a, err := judged(ctx, q)
	if err != nil {
		return view, err
	}
	view.Terms, view.Provisional = len(a.terms), a.provisional
	view.Judged, view.Unagreed = a.counts()
	var lines []Line
	lines, view.Balances = a.lines()
	if view.Deviations, err = a.timed(ctx, q); err != nil {
		return view, err
	}
	if view.Course, err = courseOf(ctx, q, view.Deviations); err != nil {
		return view, err
	}
	view.Count = len(lines)
	view.Pages = max(1, (view.Count+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	sortLines(lines, q.Sort)
	view.Lines = lines[(q.Page-1)*q.Per : min(q.Page*q.Per, len(lines))]
	if err = fillTimes(ctx, q, pointers(view.Lines)); err != nil {
		return view, err
	}
	if view.Judged+view.Unagreed == 0 {
		view.Empty, err = q.WhyEmpty(ctx, view.Coverage)
	}
	return view, err
}

func pointers(list []Line) []*Line {
	all := make([]*Line, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}

// MakeDeviations lists the findings of [Make], for any query. The times of their records are
// not known, only their days.
func MakeDeviations(ctx context.Context, q *snapshot.Snapshot) ([]Deviation, error) {
	a, err := judged(ctx, q)
	if err != nil {
		return nil, err
	}
	return a.findings(), nil
}

// timed returns the findings with the times of their first and last records.
func (a *audit) timed(ctx context.Context, q *snapshot.Snapshot) ([]Deviation, error) {
	list := a.findings()
	var all []*Line
	for i := range list {
		d := &list[i]
		for n := range d.Lines {
			if l := &d.Lines[n]; l.Days.First == d.Days.First || l.Days.Last == d.Days.Last {
				all = append(all, l)
			}
		}
	}
	if err := fillTimes(ctx, q, all); err != nil {
		return nil, err
	}
	for i := range list {
		d := &list[i]
		for n := range d.Lines {
			l := &d.Lines[n]
			if l.From != 0 && (d.From == 0 || l.From < d.From) {
				d.From = l.From
			}
			d.To = max(d.To, l.To)
		}
	}
	return list, nil
}

// counts counts the records of the range with and without a term.
func (a *audit) counts() (with, without int64) {
	for _, s := range a.series {
		for i := range s.pieces {
			switch p := &s.pieces[i]; {
			case p.days.First < s.first:
			case p.expected == nil || p.expected.found != nil:
				without += p.records()
			default:
				with += p.records()
			}
		}
	}
	return with, without
}

// lines returns all lines in no order of their own, and adds up the records that are compared, by
// coin and cause.
func (a *audit) lines() (list []Line, balances []Balance) {
	type key struct {
		coin  affiliate.Coin
		cause Cause
	}
	all := map[affiliate.Coin]*Balance{}
	parts := map[key]*CauseSum{}
	tell := func(c *coinPart, cause Cause, due decimal.Decimal) {
		if all[c.coin] == nil {
			all[c.coin] = &Balance{CoinCost: CoinCost{Coin: c.coin}}
		}
		if parts[key{c.coin, cause}] == nil {
			parts[key{c.coin, cause}] = &CauseSum{Cause: cause}
		}
		b, part := all[c.coin], parts[key{c.coin, cause}]
		part.Records += c.records
		part.Fee = part.Fee.Add(c.fee.Decimal())
		b.Records += c.records
		if cause == AmountUnknown {
			return
		}
		b.Fee = b.Fee.Add(c.fee.Decimal())
		b.Due = b.Due.Add(due)
		b.Commission = b.Commission.Add(c.commission.Decimal())
		part.Difference = part.Difference.Add(c.commission.Decimal().Sub(due))
	}
	for _, s := range a.series {
		list = append(list, s.lines(tell)...)
	}
	for coin, b := range all {
		b.Difference = b.Commission.Sub(b.Due)
		for _, cause := range Causes() {
			if part := parts[key{coin, cause}]; part != nil {
				b.Causes = append(b.Causes, *part)
			}
		}
		balances = append(balances, *b)
	}
	slices.SortFunc(balances, func(a, b Balance) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	return list, balances
}

// fillTimes reads the deal times of the first and the last record of lines that do not have them.
func fillTimes(ctx context.Context, q *snapshot.Snapshot, lines []*Line) error {
	var asked []sums.InviteeSpan
	for _, l := range lines {
		key := sums.InviteeSpan{InviteeKey: l.InviteeKey, Product: l.Product, Source: l.Source, Coin: l.Coin}
		if l.From == 0 {
			key.Day = l.Days.First
			asked = append(asked, key)
		}
		if l.To == 0 {
			key.Day = l.Days.Last
			asked = append(asked, key)
		}
	}
	times, err := sums.DealTimes(ctx, q.Tx, q.Filter(), asked)
	if err != nil {
		return err
	}
	for _, l := range lines {
		key := sums.InviteeSpan{InviteeKey: l.InviteeKey, Product: l.Product, Source: l.Source, Coin: l.Coin}
		if l.From == 0 {
			key.Day = l.Days.First
			l.From = times[key].First
		}
		if l.To == 0 {
			key.Day = l.Days.Last
			l.To = times[key].Last
		}
	}
	return nil
}
