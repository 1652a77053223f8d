package commissions

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// RestatementKind is how a figure changed after it had been collected: after the first read
// of its UTC day that began 3 hours or more after the day's end. Earlier changes belong to
// a day that was still being read.
type RestatementKind string

// Kinds of restatement.
const (
	RestatedLate    RestatementKind = "late"    // a record that was absent when its day was first read
	RestatedChanged RestatementKind = "changed" // the same trade with other amounts
	RestatedRemoved RestatementKind = "removed" // a record that the exchange no longer returns
	RestatedZeroed  RestatementKind = "zeroed"  // changed, and its commission is now zero
	// RestatedNew is no restatement: a record that was read with its day. It is a kind of
	// change between two states.
	RestatedNew RestatementKind = "new"
)

// RestatementLine is one record that changed after its day had been collected.
type RestatementLine struct {
	Noticed  affiliate.Millis // when a read found it
	Kind     RestatementKind
	Account  affiliate.Account
	DealTime affiliate.Millis
	UID      affiliate.UID
	Product  affiliate.Product
	Symbol   string
	Coin     affiliate.Coin
	Was      affiliate.Number // commission before; empty for late records
	Became   affiliate.Number // commission now; empty for removed records
}

// RestatementTotals sums the restatements of one kind and coin.
type RestatementTotals struct {
	Kind   RestatementKind
	Coin   affiliate.Coin
	Count  int64
	Change decimal.Decimal // became minus was, exact
	Up     decimal.Decimal // the part of Change by which commission rose, 0 or more
	Down   decimal.Decimal // the part by which it fell, 0 or less
}

// RestatementsReport lists the changed records of a range of days.
type RestatementsReport struct {
	Query  query.Query
	Rows   []RestatementLine   // newest notice first, one page
	Totals []RestatementTotals // over the whole range
	Count  int64
	Pages  int // at least 1

	Unknown []string // values in the query that are not stored, one sentence each
}

// RestatementKinds lists the kinds in the order they are shown.
func RestatementKinds() []RestatementKind {
	return []RestatementKind{RestatedLate, RestatedChanged, RestatedRemoved, RestatedZeroed}
}

// MakeRestatements answers the query for records that changed after their days had been
// collected. Per coin, the changes add up to the present sum minus the sum when each day
// was first completely read. The order is always the newest notice first; the query's own
// order is for records.
func MakeRestatements(ctx context.Context, q *snapshot.Snapshot) (RestatementsReport, error) {
	report := RestatementsReport{Query: q.Query}
	sums := restatementSums{}
	list := newest{limit: q.Page * q.Per}
	filter := q.Filter()
	if until := q.UntilMillis(); until.Known() {
		filter.AsOf = until
	}
	for found, err := range records.RestatementsSince(ctx, q.Tx, filter, q.SinceMillis()) {
		if err != nil {
			return report, err
		}
		report.Count++
		sums.add(found)
		list.add(found)
	}
	report.Totals = sums.totals()
	report.Pages = max(1, int((report.Count+int64(q.Per)-1)/int64(q.Per)))
	if q.Page > report.Pages {
		return report, query.BeyondPages(q.Page, report.Pages)
	}
	if report.Count == 0 {
		options, err := q.Options(ctx)
		if err != nil {
			return report, err
		}
		report.Unknown = options.Unknown
	}
	for _, found := range list.page((q.Page - 1) * q.Per) {
		report.Rows = append(report.Rows, restatementOf(found))
	}
	return report, nil
}

// newest keeps the newest restatements of any number, up to a limit.
type newest struct {
	limit int
	found []records.Restatement
}

func (n *newest) add(r records.Restatement) {
	n.found = append(n.found, r)
	if len(n.found) >= 2*n.limit {
		n.cut()
	}
}

func (n *newest) cut() {
	slices.SortFunc(n.found, records.Restatement.Compare)
	most := min(len(n.found), n.limit)
	clear(n.found[most:])
	n.found = n.found[:most]
}

// page returns the kept rows from offset on, in order.
func (n *newest) page(offset int) []records.Restatement {
	n.cut()
	return n.found[min(offset, len(n.found)):]
}

func kindOf(r records.Restatement) RestatementKind {
	switch {
	case r.Was == nil:
		return RestatedLate
	case r.Became == nil:
		return RestatedRemoved
	case r.Became.Commission.IsZero() && !r.Was.Commission.IsZero():
		return RestatedZeroed
	}
	return RestatedChanged
}

func restatementOf(r records.Restatement) RestatementLine {
	row := RestatementLine{Noticed: r.Noticed, Kind: kindOf(r), Account: r.Account}
	of := r.Became
	if of == nil {
		of = r.Was
	}
	row.DealTime, row.UID, row.Product, row.Symbol, row.Coin = of.DealTime, of.UID, of.Product, of.Symbol, of.Coin
	if r.Was != nil {
		row.Was = r.Was.Commission
	}
	if r.Became != nil {
		row.Became = r.Became.Commission
	}
	return row
}

// restatementSums adds changes up by kind and coin.
type restatementSums map[restatementGroup]*restatementSum

type restatementGroup struct {
	kind RestatementKind
	coin affiliate.Coin
}

type restatementSum struct {
	count            int64
	change, up, down affiliate.Sum
}

func (s restatementSums) add(r records.Restatement) {
	row := restatementOf(r)
	group := restatementGroup{row.Kind, row.Coin}
	if s[group] == nil {
		s[group] = new(restatementSum)
	}
	s[group].count++
	var change affiliate.Sum
	change.Add(row.Became)
	change.Sub(row.Was)
	s[group].change.AddSum(change)
	if change.Cmp(new(affiliate.Sum)) > 0 {
		s[group].up.AddSum(change)
	} else {
		s[group].down.AddSum(change)
	}
}

func (s restatementSums) totals() []RestatementTotals {
	list := make([]RestatementTotals, 0, len(s))
	for group, sum := range s {
		list = append(list, RestatementTotals{Kind: group.kind, Coin: group.coin, Count: sum.count, Change: sum.change.Decimal(), Up: sum.up.Decimal(), Down: sum.down.Decimal()})
	}
	kinds := RestatementKinds()
	slices.SortFunc(list, func(a, b RestatementTotals) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}
