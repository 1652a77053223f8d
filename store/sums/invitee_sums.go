package sums

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// InviteeSums are what one invitee brought in one coin.
type InviteeSums struct {
	Account affiliate.Account
	UID     affiliate.UID
	Coin    affiliate.Coin
	Sums
}

// ByInvitee adds up the records of the filter by invitee and coin, in no order. Over all
// time the sums are everything each invitee ever brought. The cost grows with the invitees
// who traded in each month, week or day that makes up the range.
func ByInvitee(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]InviteeSums, error) {
	groups, err := groupByInvitee(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	var list []InviteeSums
	groups.each(func(_ person, key InviteeKey, coins []CoinFigures) {
		for _, c := range coins {
			list = append(list, InviteeSums{key.Account, key.UID, c.Coin, sumsOf(c.LineFigures)})
		}
	})
	return list, nil
}

// CoinFigures are exact sums in one coin.
type CoinFigures struct {
	Coin affiliate.Coin
	*rollup.LineFigures
}

// InviteeFigures are the exact sums of invitees by coin.
type InviteeFigures map[InviteeKey][]CoinFigures

// FiguresOfInvitees is [ByInvitee] with exact sums.
var FiguresOfInvitees = Reading[InviteeFigures]{Read: readInviteeFigures, longest: rollup.OfYear}

func readInviteeFigures(ctx context.Context, r *store.Tx, f records.CommissionFilter) (InviteeFigures, error) {
	groups, err := groupByInvitee(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	all := make(InviteeFigures, groups.people())
	groups.each(func(_ person, key InviteeKey, coins []CoinFigures) { all[key] = coins })
	return all, nil
}

// EachInvitee passes on the sums of every invitee over all parts, which are of different days.
// see must not keep coins.
func EachInvitee(parts []InviteeFigures, see func(key InviteeKey, coins []CoinFigures)) {
	var added coinAdder
	for i, part := range parts {
		for key, coins := range part {
			if slices.ContainsFunc(parts[:i], func(earlier InviteeFigures) bool { return earlier[key] != nil }) {
				continue
			}
			added.lists = append(added.lists[:0], coins)
			for _, later := range parts[i+1:] {
				if more := later[key]; more != nil {
					added.lists = append(added.lists, more)
				}
			}
			see(key, added.sum())
		}
	}
}

// coinAdder adds up sums by coin, in memory that it uses again.
type coinAdder struct {
	lists   [][]CoinFigures
	figures []rollup.LineFigures
	coins   []CoinFigures
}

// sum returns the sums of the lists by coin, valid until the next call. It does not change the
// lists.
func (s *coinAdder) sum() []CoinFigures {
	if len(s.lists) == 1 {
		return s.lists[0]
	}
	n := 0
	for _, list := range s.lists {
		n += len(list)
	}
	s.figures, s.coins = slices.Grow(s.figures[:0], n), s.coins[:0]
	for _, list := range s.lists {
		for _, c := range list {
			i := slices.IndexFunc(s.coins, func(known CoinFigures) bool { return known.Coin == c.Coin })
			if i >= 0 {
				s.coins[i].AddSums(c.LineFigures)
				continue
			}
			s.figures = append(s.figures, *c.LineFigures)
			s.coins = append(s.coins, CoinFigures{c.Coin, &s.figures[len(s.figures)-1]})
		}
	}
	return s.coins
}

// coinSums holds sums by coin. Coins are few, so they are searched one by one.
type coinSums []CoinFigures

func (c *coinSums) at(coin affiliate.Coin, made *rollup.FiguresMaker) *rollup.LineFigures {
	for _, g := range *c {
		if g.Coin == coin {
			return g.LineFigures
		}
	}
	s := made.Next()
	*c = append(*c, CoinFigures{coin, s})
	return s
}

// inviteeGroups are sums of invitees by coin.
type inviteeGroups struct {
	parts    []inviteePart
	accounts map[int64]affiliate.Account
}

// inviteePart has the sums of some invitees.
type inviteePart struct {
	*people
	coins []coinSums // by number of the person
	made  rollup.FiguresMaker
}

// each passes on the sums of every invitee.
func (g inviteeGroups) each(see func(who person, key InviteeKey, coins []CoinFigures)) {
	for _, part := range g.parts {
		for n, who := range part.list {
			see(who, InviteeKey{g.accounts[who.account], who.uid}, part.coins[n])
		}
	}
}

func (g inviteeGroups) people() (n int) {
	for _, part := range g.parts {
		n += len(part.list)
	}
	return n
}

func groupByInvitee(ctx context.Context, r *store.Tx, f records.CommissionFilter) (g inviteeGroups, err error) {
	if g.accounts, err = r.AccountNames(ctx); err != nil {
		return g, err
	}
	g.parts, err = inHalves(ctx, r, f, func(r *store.Tx, part half) (inviteePart, error) {
		p := inviteePart{people: newPeople()}
		var coins *coinSums // of the invitee of the entry
		err := eachEntryOf(ctx, r, f, part, rollup.ByUID, rollup.OfYear, func(e *entry) error {
			if e.another {
				n := p.of(e)
				if n == len(p.coins) {
					p.coins = append(p.coins, nil)
				}
				coins = &p.coins[n]
			}
			return e.addTo(coins.at(e.Coin, &p.made))
		})
		return p, err
	})
	return g, err
}

// UnknownCodes counts the records of the filter whose invitee has an unknown code.
func UnknownCodes(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int64, error) {
	groups, err := groupByInvitee(ctx, r, f)
	if err != nil {
		return 0, fmt.Errorf("counting records without a code: %w", err)
	}
	codes, err := inviteeCodes(ctx, r, f)
	if err != nil {
		return 0, err
	}
	var n int64
	groups.each(func(who person, _ InviteeKey, coins []CoinFigures) {
		if codes(who) == "" {
			for _, c := range coins {
				n += c.Records
			}
		}
	})
	return n, nil
}
