package rates

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/snapshot"
	"rebatedesk/terms"
)

// agreement resolves the term of a series on a day. It is safe for concurrent use.
type agreement struct {
	list    []terms.Term
	book    *terms.Book
	known   map[int64]*expected                  // by ID of the term
	changes []affiliate.Day                      // on which another term can begin to apply, in order
	tiers   map[terms.TierMonth]affiliate.Number // the highest tier that is reached, as it begins
	days    affiliate.Days
}

// agree reads what the tiers need to know of the months of some days.
func agree(ctx context.Context, q *snapshot.Snapshot, list []terms.Term, days affiliate.Days) (*agreement, error) {
	a := &agreement{list: list, book: terms.NewBook(list), known: map[int64]*expected{}, tiers: map[terms.TierMonth]affiliate.Number{}, days: days}
	tiered := false
	for _, s := range terms.AllSeries(list) {
		if s.Scope == terms.ScopeSubAffiliate {
			continue
		}
		for _, spell := range s.Spells {
			r, ok := rateOf(spell.Rate.Canonical().Decimal())
			if !ok {
				return nil, fmt.Errorf("the rate %s of term %d has too many digits", spell.Rate, spell.ID)
			}
			a.known[spell.ID] = &expected{rate: r, term: spell.Term}
			a.changes = append(a.changes, spell.From)
			if spell.Last != 0 {
				a.changes = append(a.changes, spell.Last+1)
			}
			if spell.TierBy == "" {
				continue
			}
			tiered = true
			for month := monthOf(max(days.First, spell.From)); month <= days.Last && (spell.Last == 0 || month <= spell.Last); month = monthOf(month + 31) {
				asked := terms.TierMonth{By: spell.TierBy, Account: spell.Account, Scope: spell.Scope, Value: spell.Value,
					Product: spell.Product, Source: spell.Source, Month: month}
				if _, done := a.tiers[asked]; done {
					continue
				}
				figure, err := agreed.Measured(ctx, q, asked)
				if err != nil {
					return nil, err
				}
				a.tiers[asked] = reached(list, asked.By, figure.Figure)
			}
		}
	}
	if tiered {
		for month := monthOf(days.First); month <= days.Last; month = monthOf(month + 31) {
			a.changes = append(a.changes, month)
		}
	}
	slices.Sort(a.changes)
	a.changes = slices.Compact(a.changes)
	return a, nil
}

// reached returns the highest beginning of a tier that a figure has reached: only that decides, and
// it seldom changes.
func reached(list []terms.Term, by terms.TierBy, figure affiliate.Number) affiliate.Number {
	highest := affiliate.Number("0")
	for _, t := range list {
		if t.TierBy == by && figure.Known() && t.TierFrom.Cmp(figure) <= 0 && t.TierFrom.Cmp(highest) > 0 {
			highest = t.TierFrom
		}
	}
	return highest
}

// decides reports whether the figure of a month decides about a tier.
func (a *agreement) decides(month affiliate.Day) bool {
	for asked := range a.tiers {
		if asked.Month == month {
			return true
		}
	}
	return false
}

// monthOf returns the first day of the month of a day.
func monthOf(day affiliate.Day) affiliate.Day {
	year, month, _ := day.Date()
	return affiliate.NewDay(year, month, 1)
}

// on returns what is expected of a series on a day, and the last day for which that holds.
func (a *agreement) on(key seriesKey, code string, day affiliate.Day) (*expected, affiliate.Day) {
	until := a.days.Last
	if i, _ := slices.BinarySearch(a.changes, day+1); i < len(a.changes) {
		until = min(until, a.changes[i]-1)
	}
	t, ok := a.book.Of(terms.Earning{Account: key.Account, UID: key.UID, Code: code, Product: key.Product, Source: key.Source, Day: day},
		func(month terms.TierMonth) affiliate.Number { return a.tiers[month] })
	if !ok {
		return nil, until
	}
	return a.known[t.ID], until
}

// throughout reports whether a term applies to a series on each day of the range.
func (a *agreement) throughout(key seriesKey, code string, first affiliate.Day) bool {
	if len(a.known) == 0 {
		return false
	}
	for day := first; day <= a.days.Last; {
		due, until := a.on(key, code, day)
		if due == nil {
			return false
		}
		day = until + 1
	}
	return true
}
