package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// rankings are the bar lists of the overview, about one coin.
func (q *question) rankings(ctx context.Context, coin affiliate.Coin, invitees, before []store.InviteeSums, ref reference) ([]Ranking, error) {
	codes, err := q.InviteeCodes(ctx, q.asOfMillis())
	if err != nil {
		return nil, err
	}
	top := ref.rank(RankInvitees, coin, inviteeParts(invitees, coin), inviteeParts(before, coin), rankLength)
	for i := range top.Lines {
		line := &top.Lines[i]
		line.Code = codes[store.InviteeKey{Account: line.Account, UID: affiliate.UID(line.Name)}]
	}
	pairs, err := q.pairs(ctx, coin, ref)
	byCode := ref.rank(RankCodes, coin, codeParts(invitees, coin, codes), codeParts(before, coin, codes), rankLength)
	return []Ranking{top, pairs, byCode}, err
}

func (q *question) pairs(ctx context.Context, coin affiliate.Coin, ref reference) (Ranking, error) {
	read := func(f store.CommissionFilter) (parts, error) {
		f.Coin = coin
		sums, err := q.SymbolSums(ctx, f)
		p := parts{}
		for _, s := range sums {
			p.add(rankKey{name: s.Symbol}, s.Sums)
		}
		return p, err
	}
	now, err := read(q.filter())
	if err != nil || !ref.known {
		return ref.rank(RankPairs, coin, now, nil, rankLength), err
	}
	f := q.filter()
	f.Days = ref.days
	before, err := read(f)
	if err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return ref.rank(RankPairs, coin, now, before, rankLength), err
}

func inviteeParts(sums []store.InviteeSums, coin affiliate.Coin) parts {
	p := parts{}
	for _, s := range sums {
		if s.Coin == coin {
			p.add(rankKey{string(s.UID), s.Account}, s.Sums)
		}
	}
	return p
}

// codeParts adds invitees up by invite code; those whose code is not known
// share one part without a name.
func codeParts(sums []store.InviteeSums, coin affiliate.Coin, codes map[store.InviteeKey]string) parts {
	p := parts{}
	for _, s := range sums {
		if s.Coin == coin {
			p.add(rankKey{name: codes[store.InviteeKey{Account: s.Account, UID: s.UID}]}, s.Sums)
		}
	}
	return p
}
