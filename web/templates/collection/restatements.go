package collection

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/web/templates/ui"
)

// RestatementsView is one page of records that changed after they were read.
type RestatementsView struct {
	Report  commissions.RestatementsReport
	Links   ui.Links
	Options question.Options
	Empty   coverage.EmptyKind // why there is no row; empty if there are rows
}

// difference returns the exact change that a restatement made to the commission. A
// missing record, before or after, counts as zero; a commission that the exchange did
// not state makes the difference unknown.
func difference(r commissions.RestatementLine) (decimal.Decimal, bool) {
	was, known := part(r.Was, r.Kind == commissions.RestatedLate)
	became, knownNow := part(r.Became, r.Kind == commissions.RestatedRemoved)
	return became.Sub(was), known && knownNow
}

func part(n affiliate.Number, absent bool) (decimal.Decimal, bool) {
	if absent || !n.Known() {
		return decimal.Zero, absent
	}
	return n.Decimal(), true
}

// direction returns the colour of a difference: losses stand out.
func direction(d decimal.Decimal) string {
	switch d.Sign() {
	case 1:
		return "text-success"
	case -1:
		return "text-error"
	}
	return "text-muted"
}

// restated returns the address of the page with all restatements of the query.
func restated(l ui.Links) string {
	return ui.Links{Path: "/collection/restatements", Query: l.Query}.With(func(q *query.Query) { q.Per = query.DefaultPer })
}

// restatementSums holds totals by coin and kind.
type restatementSums struct {
	Kinds []commissions.RestatementKind // those that occur
	Coins []coinSums
}

// coinSums holds the totals of a coin: overall, and in the order of the kinds.
type coinSums struct {
	commissions.RestatementTotals
	Kinds []commissions.RestatementTotals
}

func sumsOf(totals []commissions.RestatementTotals) restatementSums {
	var s restatementSums
	for _, t := range totals {
		if !slices.Contains(s.Kinds, t.Kind) {
			s.Kinds = append(s.Kinds, t.Kind)
		}
	}
	for _, t := range totals {
		i := slices.IndexFunc(s.Coins, func(c coinSums) bool { return c.Coin == t.Coin })
		if i < 0 {
			i = len(s.Coins)
			s.Coins = append(s.Coins, coinSums{commissions.RestatementTotals{Coin: t.Coin}, make([]commissions.RestatementTotals, len(s.Kinds))})
		}
		c := &s.Coins[i]
		c.Kinds[slices.Index(s.Kinds, t.Kind)] = t
		c.Count += t.Count
		c.Change = c.Change.Add(t.Change)
	}
	slices.SortStableFunc(s.Coins, func(a, b coinSums) int { return cmp.Compare(b.Count, a.Count) })
	return s
}
