package store

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// CodeSums are what the invitees of one invite code brought in one coin.
type CodeSums struct {
	Code    string // as known now; empty = unknown
	Coin    affiliate.Coin
	Traders int64 // invitees with at least one record in the coin
	Sums
}

type codeCoin struct {
	code string
	coin affiliate.Coin
}

// codeGroup is what is known of a code in a coin.
type codeGroup struct {
	sums
	traders int64
}

// CodeSums adds up the records of the filter by invite code and coin, in no
// order. It costs what [Reader.InviteeSums] does and a look at all invitees.
func (r *Reader) CodeSums(ctx context.Context, f CommissionFilter) ([]CodeSums, error) {
	groups, err := r.codeGroups(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by code: %w", err)
	}
	list := make([]CodeSums, 0, len(groups))
	for k, g := range groups {
		list = append(list, CodeSums{k.code, k.coin, g.traders, g.result()})
	}
	return list, nil
}

func (r *Reader) codeGroups(ctx context.Context, f CommissionFilter) (map[codeCoin]*codeGroup, error) {
	invitees, _, err := r.inviteeGroups(ctx, f)
	if err != nil {
		return nil, err
	}
	codes, err := r.inviteeCodes(ctx, f.AsOf)
	if err != nil {
		return nil, err
	}
	groups := map[codeCoin]*codeGroup{}
	for who, coins := range invitees {
		for _, c := range *coins {
			k := codeCoin{codes[who], c.coin}
			if groups[k] == nil {
				groups[k] = new(codeGroup)
			}
			groups[k].addSums(c.sums)
			groups[k].traders++
		}
	}
	return groups, nil
}
