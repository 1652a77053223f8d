package sums

import (
	"context"
	"fmt"

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
	var list []InviteeSums
	err := EachInvitee(ctx, r, f, func(key InviteeKey, coins []CoinFigures) {
		for _, c := range coins {
			list = append(list, InviteeSums{key.Account, key.UID, c.Coin, sumsOf(c.LineFigures)})
		}
	})
	return list, err
}

// CoinFigures are exact sums in one coin.
type CoinFigures struct {
	Coin affiliate.Coin
	*rollup.LineFigures
}

// EachInvitee is [ByInvitee] with the exact sums of all coins of an invitee at once. see must
// not keep coins.
func EachInvitee(ctx context.Context, r *store.Tx, f records.CommissionFilter, see func(key InviteeKey, coins []CoinFigures)) error {
	groups, err := groupByInvitee(ctx, r, f)
	if err != nil {
		return fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	groups.each(func(_ person, key InviteeKey, coins []CoinFigures) { see(key, coins) })
	return nil
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
	codes, err := inviteeCodes(ctx, r, f.AsOf)
	if err != nil {
		return 0, err
	}
	var n int64
	groups.each(func(who person, _ InviteeKey, coins []CoinFigures) {
		if codes[who] == "" {
			for _, c := range coins {
				n += c.Records
			}
		}
	})
	return n, nil
}
