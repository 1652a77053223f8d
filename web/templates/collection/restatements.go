package collection

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/web/templates/ui"
)

// RestatementsView is one page of records that changed after they were read.
type RestatementsView struct {
	Report  commissions.RestatementsReport
	Links   ui.Links
	Options snapshot.Options
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

// noticedLabel names the instants between which restatements were noticed.
func noticedLabel(q query.Query) string {
	since, until := noticedText(q.Since, q), noticedText(q.Until, q)
	switch {
	case q.Since.IsZero() && q.Until.IsZero():
		return "at any time"
	case q.Until.IsZero():
		return "since " + since
	case q.Since.IsZero():
		return "until " + until
	}
	return since + " – " + until
}

// noticedText prints an instant, or the day of which it is the first or the last instant.
func noticedText(at time.Time, q query.Query) string {
	zone := ui.ZoneOf(q)
	day := affiliate.DayOf(at, zone)
	if span := day.Range(zone); at.Equal(span.From) || at.Equal(span.To.Add(-time.Millisecond)) {
		return day.Format("2 Jan 2006")
	}
	return phrase.Minute(at, zone)
}

// noticedDay returns the value of a field for a day; empty if there is no instant.
func noticedDay(at time.Time, q query.Query) string {
	if at.IsZero() {
		return ""
	}
	return affiliate.DayOf(at, ui.ZoneOf(q)).String()
}

// noticedSince returns the address of what was noticed since the beginning of the day so many
// days ago, or at any time.
func noticedSince(l ui.Links, days int) string {
	return l.With(func(q *query.Query) {
		q.Since, q.Until = time.Time{}, time.Time{}
		if days > 0 {
			q.Since = (q.Today - affiliate.Day(days)).Start(ui.ZoneOf(*q)).UTC()
		}
	})
}

// noticedWords says in a sentence about restatements when they were noticed; empty for any time.
func noticedWords(q query.Query) string {
	if q.Since.IsZero() && q.Until.IsZero() {
		return ""
	}
	return ", noticed " + noticedLabel(q)
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
		c.Change, c.Up, c.Down = c.Change.Add(t.Change), c.Up.Add(t.Up), c.Down.Add(t.Down)
	}
	slices.SortStableFunc(s.Coins, func(a, b coinSums) int { return cmp.Compare(b.Count, a.Count) })
	return s
}
