package drivers

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// contributions divides the change by invitee, and along the dimension of the report.
func (r *Report) contributions(ctx context.Context, q *snapshot.Snapshot, now, before []sums.DaySums) error {
	people, err := readPeople(ctx, q, r.Compared)
	if err != nil {
		return err
	}
	if r.Invitees, err = people.byInvitee(ctx, r); err != nil {
		return err
	}
	switch r.By {
	case ByCode:
		r.Contributions, err = people.byCode(ctx, r)
	case ByPair:
		r.Contributions, err = byPair(ctx, q, r)
	case ByProduct, BySource:
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
		if r.By == BySource {
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
func byPair(ctx context.Context, q *snapshot.Snapshot, r *Report) (Contributions, error) {
	p := parts{}
	for _, days := range []affiliate.Days{q.Days, r.Compared} {
		f := q.Filter()
		f.Days, f.Coin = days, r.Coin
		totals, err := snapshot.OfDays(ctx, q, "sums by pair", f, sums.FiguresOfSymbols, sums.JoinSymbols)
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

// people divides the change by those who stand behind it.
type people struct {
	*invitees.TwoPeriods
	codes *snapshot.CodeBook
}

func readPeople(ctx context.Context, q *snapshot.Snapshot, compared affiliate.Days) (p people, err error) {
	if p.codes, err = q.InviteeCodes(ctx); err != nil {
		return p, err
	}
	p.TwoPeriods, err = invitees.ReadTwoPeriods(ctx, q, compared)
	return p, err
}

func (p *people) byInvitee(ctx context.Context, r *Report) (Contributions, error) {
	list := p.divide(r.Coin, func(key sums.InviteeKey) figures.RankKey {
		return figures.RankKey{Name: string(key.UID), Account: key.Account}
	})
	keys := make([]sums.InviteeKey, len(list))
	for i := range list {
		keys[i] = sums.InviteeKey{Account: list[i].Account, UID: affiliate.UID(list[i].Name)}
	}
	presences, err := invitees.PresencesOf(ctx, p.TwoPeriods, keys, func(key sums.InviteeKey) sums.InviteeKey { return key })
	for i, key := range keys {
		list[i].Code, list[i].Presence = p.codes.Of(key), presences[key]
	}
	return list, err
}

// byCode divides the change by the invite code that each invitee has now. Invitees whose code
// is not known share an entry without a name, which is neither new nor lost.
func (p *people) byCode(ctx context.Context, r *Report) (Contributions, error) {
	list := p.divide(r.Coin, func(key sums.InviteeKey) figures.RankKey { return figures.RankKey{Name: p.codes.Of(key)} })
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	presences, err := invitees.PresencesOf(ctx, p.TwoPeriods, names, p.codes.Of)
	for i, name := range names {
		if list[i].Presence = presences[name]; name == "" {
			list[i].Presence = figures.PresentInBoth
		}
	}
	return list, err
}

// divide adds up both periods in a coin, under the names that name gives to invitees.
func (p *people) divide(coin affiliate.Coin, name func(sums.InviteeKey) figures.RankKey) Contributions {
	all := parts{}
	for key, coins := range p.Now {
		for _, t := range coins {
			if t.Coin == coin {
				all.of(name(key)).now.AddDecimal(t.Commission)
			}
		}
	}
	for key, coins := range p.Before {
		for _, t := range coins {
			if t.Coin == coin {
				all.of(name(key)).before.AddDecimal(t.Commission)
			}
		}
	}
	return all.list()
}
