package drivers

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// contributions divides the change by invitee, and along the dimension of the report.
func (r *Report) contributions(ctx context.Context, q *question.Question, now, before []sums.DaySums) error {
	people, err := readPeople(ctx, q, r.Compared)
	if err != nil {
		return err
	}
	if r.Invitees, err = people.byInvitee(ctx, r); err != nil {
		return err
	}
	switch r.By {
	case CodeDrivers:
		r.Contributions, err = people.byCode(ctx, r)
	case PairDrivers:
		r.Contributions, err = byPair(ctx, q, r)
	case ProductDrivers, SourceDrivers:
		r.Contributions = byDays(r, now, before)
	default:
		r.Contributions = r.Invitees
	}
	return err
}

// byDays divides the change by product or source.
func byDays(r *Report, now, before []sums.DaySums) Contributions {
	p := parts{}
	name := func(d sums.DaySums) figures.RankKey {
		if r.By == SourceDrivers {
			return figures.RankKey{Name: string(d.Source)}
		}
		return figures.RankKey{Name: string(d.Product)}
	}
	for _, d := range now {
		if d.Coin == r.Coin {
			p.of(name(d)).now.Add(d.Commission)
		}
	}
	for _, d := range before {
		if d.Coin == r.Coin {
			p.of(name(d)).before.Add(d.Commission)
		}
	}
	return p.list()
}

// byPair divides the change by trading pair.
func byPair(ctx context.Context, q *question.Question, r *Report) (Contributions, error) {
	p := parts{}
	for _, days := range []affiliate.Days{q.Days, r.Compared} {
		f := q.Filter()
		f.Days, f.Coin = days, r.Coin
		totals, err := question.OfDays(ctx, q, "sums by pair", f, sums.FiguresOfSymbols, sums.JoinSymbols)
		if err != nil {
			return nil, fmt.Errorf("pairs of %s: %w", days, err)
		}
		for _, s := range totals.Sums() {
			if one := p.of(figures.RankKey{Name: s.Symbol}); days == q.Days {
				one.now.Add(s.Commission)
			} else {
				one.before.Add(s.Commission)
			}
		}
	}
	return p.list(), nil
}

// people has the totals of invitees in the periods that tell their presence, in all coins: who
// earned in another coin before is not new.
type people struct {
	*question.Question
	compared    affiliate.Days
	now, before invitees.TotalsByInvitee
	codes       *question.CodeBook

	earlier, between map[sums.InviteeKey]bool // had commission before the compared period, or between both; nil: not read yet
}

func readPeople(ctx context.Context, q *question.Question, compared affiliate.Days) (p people, err error) {
	p.Question, p.compared = q, compared
	if p.codes, err = q.InviteeCodes(ctx); err != nil {
		return p, err
	}
	if p.now, err = invitees.ReadTotals(ctx, q, p.filter(q.Days)); err != nil {
		return p, err
	}
	if p.before, err = invitees.ReadTotals(ctx, q, p.filter(compared)); err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return p, err
}

// filter returns the filter of the query for all coins of some days.
func (p *people) filter(days affiliate.Days) records.CommissionFilter {
	f := p.Filter()
	f.Days, f.Coin = days, ""
	return f
}

func (p *people) byInvitee(ctx context.Context, r *Report) (Contributions, error) {
	list := p.divide(r.Coin, func(key sums.InviteeKey) figures.RankKey {
		return figures.RankKey{Name: string(key.UID), Account: key.Account}
	})
	key := func(c Contribution) sums.InviteeKey {
		return sums.InviteeKey{Account: c.Account, UID: affiliate.UID(c.Name)}
	}
	for i := range list {
		list[i].Code = p.codes.Of(key(list[i]))
	}
	own := func(totals invitees.TotalsByInvitee) func(Contribution) bool {
		return func(c Contribution) bool { return totals[key(c)] != nil }
	}
	return list, p.presences(ctx, list, own(p.now), own(p.before), func(past map[sums.InviteeKey]bool) func(Contribution) bool {
		return func(c Contribution) bool { return past[key(c)] }
	})
}

// byCode divides the change by the invite code that each invitee has now. Invitees whose code
// is not known share an entry without a name, which is neither new nor lost.
func (p *people) byCode(ctx context.Context, r *Report) (Contributions, error) {
	list := p.divide(r.Coin, func(key sums.InviteeKey) figures.RankKey { return figures.RankKey{Name: p.codes.Of(key)} })
	codes := func(totals invitees.TotalsByInvitee) func(Contribution) bool {
		used := map[string]bool{"": true}
		for key := range totals {
			used[p.codes.Of(key)] = true
		}
		return func(c Contribution) bool { return used[c.Name] }
	}
	return list, p.presences(ctx, list, codes(p.now), codes(p.before), func(past map[sums.InviteeKey]bool) func(Contribution) bool {
		used := map[string]bool{}
		for key := range past {
			used[p.codes.Of(key)] = true
		}
		return func(c Contribution) bool { return used[c.Name] }
	})
}

// divide adds up both periods in a coin, under the names that name gives to invitees.
func (p *people) divide(coin affiliate.Coin, name func(sums.InviteeKey) figures.RankKey) Contributions {
	all := parts{}
	for key, coins := range p.now {
		for _, t := range coins {
			if t.Coin == coin {
				all.of(name(key)).now.AddDecimal(t.Commission)
			}
		}
	}
	for key, coins := range p.before {
		for _, t := range coins {
			if t.Coin == coin {
				all.of(name(key)).before.AddDecimal(t.Commission)
			}
		}
	}
	return all.list()
}

// presences determines in which period each entry had commission. The time before is read only
// if an entry had none in the compared period.
func (p *people) presences(ctx context.Context, list Contributions, now, before func(Contribution) bool, in func(map[sums.InviteeKey]bool) func(Contribution) bool) error {
	var earlier, between func(Contribution) bool
	for i := range list {
		c := &list[i]
		switch {
		case !now(*c):
			c.Presence = PresentNoLonger
			continue
		case before(*c):
			c.Presence = PresentInBoth
			continue
		case earlier == nil:
			if err := p.readPast(ctx); err != nil {
				return err
			}
			earlier, between = in(p.earlier), in(p.between)
		}
		switch {
		case earlier(*c):
			c.Presence = PresentBack
		case between(*c):
			c.Presence = PresentSince
		default:
			c.Presence = PresentNew
		}
	}
	return nil
}

// readPast reads who had commission before the compared period, and between it and the range.
func (p *people) readPast(ctx context.Context) error {
	if p.earlier != nil {
		return nil
	}
	first, err := sums.FirstDay(ctx, p.Tx, p.Today)
	if err != nil {
		return err
	}
	if p.earlier, err = p.whoIn(ctx, affiliate.Days{First: first, Last: min(p.compared.First, p.Days.First) - 1}); err != nil {
		return fmt.Errorf("the time before the compared period: %w", err)
	}
	if p.between, err = p.whoIn(ctx, affiliate.Days{First: max(first, p.compared.Last+1), Last: p.Days.First - 1}); err != nil {
		return fmt.Errorf("the time between the periods: %w", err)
	}
	return nil
}

// whoIn returns the invitees with commission in some days, which may be none.
func (p *people) whoIn(ctx context.Context, days affiliate.Days) (map[sums.InviteeKey]bool, error) {
	who := map[sums.InviteeKey]bool{}
	if days.Last < days.First {
		return who, nil
	}
	totals, err := invitees.ReadTotals(ctx, p.Question, p.filter(days))
	for key := range totals {
		who[key] = true
	}
	return who, err
}
