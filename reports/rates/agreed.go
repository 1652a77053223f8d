package rates

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/question"
	"rebatedesk/reports/tiers"
	"rebatedesk/terms"
)

// agreement resolves the term of a series on a day. It is safe for concurrent use.
type agreement struct {
	book    *terms.Book
	known   map[int64]*expected // by ID of the term
	changes []affiliate.Day     // on which another term can begin to apply, in order
	tiers   map[terms.TierMonth]affiliate.Number
	days    affiliate.Days
}

// agree reads what the tiers need to know of the months of some days.
func agree(ctx context.Context, q *question.Question, list []terms.Term, days affiliate.Days) (*agreement, error) {
	a := &agreement{book: terms.NewBook(list), known: map[int64]*expected{}, tiers: map[terms.TierMonth]affiliate.Number{}, days: days}
	tiered := false
	for _, s := range terms.AllSeries(list) {
		if s.Scope == terms.ScopeSubAffiliate {
			continue
		}
		for _, spell := range s.Spells {
			r, ok := rateOf(spell.Rate.Decimal())
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
				figure, err := tiers.Measured(ctx, q, asked)
				if err != nil {
					return nil, err
				}
				a.tiers[asked] = figure.Figure
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
