package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// InviteeSums are what one invitee brought in one coin.
type InviteeSums struct {
	Account affiliate.Account
	UID     affiliate.UID
	Coin    affiliate.Coin
	Sums
}

// InviteeSums adds up the records of the filter by invitee and coin, in no
// order. Over all time they are what each invitee ever brought. The cost
// follows the invitees who traded in each month, week or day that the range is
// made of.
func (r *Reader) InviteeSums(ctx context.Context, f CommissionFilter) ([]InviteeSums, error) {
	groups, names, err := r.inviteeGroups(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee: %w", err)
	}
	list := make([]InviteeSums, 0, len(groups))
	for who, coins := range groups {
		for _, c := range *coins {
			list = append(list, InviteeSums{names[who.account], who.uid, c.coin, c.sums.result()})
		}
	}
	return list, nil
}

// coinSums are sums by coin. Coins are few: they are looked for one by one.
type coinSums []coinGroup

type coinGroup struct {
	coin affiliate.Coin
	sums *sums
}

func (c *coinSums) at(coin affiliate.Coin) *sums {
	for _, g := range *c {
		if g.coin == coin {
			return g.sums
		}
	}
	s := new(sums)
	*c = append(*c, coinGroup{coin, s})
	return s
}

func (r *Reader) inviteeGroups(ctx context.Context, f CommissionFilter) (map[person]*coinSums, map[int64]affiliate.Account, error) {
	names, err := r.accountNames(ctx)
	if err != nil {
		return nil, nil, err
	}
	groups := map[person]*coinSums{}
	var coins *coinSums // of the invitee of the entry
	err = r.eachEntry(ctx, f, byUID, ofYear, func(e *entry) error {
		if e.another {
			coins = groups[e.person()]
			if coins == nil {
				coins = new(coinSums)
				groups[e.person()] = coins
			}
		}
		return e.addTo(coins.at(e.coin))
	})
	return groups, names, err
}

// UnknownCodes counts the records of the filter whose invitee's code is not
// known.
func (r *Reader) UnknownCodes(ctx context.Context, f CommissionFilter) (int64, error) {
	groups, _, err := r.inviteeGroups(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("counting records without a code: %w", err)
	}
	codes, err := r.inviteeCodes(ctx, f.AsOf)
	if err != nil {
		return 0, err
	}
	var n int64
	for who, coins := range groups {
		if codes[who] != "" {
			continue
		}
		for _, c := range *coins {
			n += c.sums.records
		}
	}
	return n, nil
}
