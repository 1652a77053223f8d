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
	groups, err := groupByInvitee(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	list := make([]InviteeSums, 0, len(groups.coins)*3/2)
	for n, who := range groups.list {
		for _, c := range groups.coins[n] {
			list = append(list, InviteeSums{groups.accounts[who.account], who.uid, c.coin, sumsOf(c.sums)})
		}
	}
	return list, nil
}

// coinSums holds sums by coin. Coins are few, so they are searched one by one.
type coinSums []coinGroup

type coinGroup struct {
	coin affiliate.Coin
	sums *rollup.LineFigures
}

func (c *coinSums) at(coin affiliate.Coin) *rollup.LineFigures {
	for _, g := range *c {
		if g.coin == coin {
			return g.sums
		}
	}
	s := new(rollup.LineFigures)
	*c = append(*c, coinGroup{coin, s})
	return s
}

// inviteeGroups are sums of invitees by coin.
type inviteeGroups struct {
	*people
	coins    []coinSums // by number of the person
	accounts map[int64]affiliate.Account
}

func groupByInvitee(ctx context.Context, r *store.Tx, f records.CommissionFilter) (inviteeGroups, error) {
	g := inviteeGroups{people: newPeople()}
	var err error
	if g.accounts, err = r.AccountNames(ctx); err != nil {
		return g, err
	}
	var coins *coinSums // of the invitee of the entry
	err = eachEntry(ctx, r, f, rollup.ByUID, rollup.OfYear, func(e *entry) error {
		if e.another {
			n := g.of(e)
			if n == len(g.coins) {
				g.coins = append(g.coins, nil)
			}
			coins = &g.coins[n]
		}
		return e.addTo(coins.at(e.Coin))
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
	for number, who := range groups.list {
		if codes[who] != "" {
			continue
		}
		for _, c := range groups.coins[number] {
			n += c.sums.Records
		}
	}
	return n, nil
}
