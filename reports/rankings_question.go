package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// rankings are the bar lists of the overview, about one coin.
func (q *question) rankings(ctx context.Context, coin affiliate.Coin, invitees, before []sums.InviteeSums, ref reference) ([]Ranking, error) {
	codes, err := sums.InviteeCodes(ctx, q.Tx, q.asOfMillis())
	if err != nil {
		return nil, err
	}
	top := ref.rank(RankInvitees, coin, inviteeParts(invitees, coin), inviteeParts(before, coin), rankLength)
	for i := range top.Lines {
		line := &top.Lines[i]
		line.Code = codes[sums.InviteeKey{Account: line.Account, UID: affiliate.UID(line.Name)}]
	}
	pairs, err := q.pairs(ctx, coin, ref)
	byCode := ref.rank(RankCodes, coin, codeParts(invitees, coin, codes), codeParts(before, coin, codes), rankLength)
	return []Ranking{top, pairs, byCode}, err
}

func (q *question) pairs(ctx context.Context, coin affiliate.Coin, ref reference) (Ranking, error) {
	read := func(f records.CommissionFilter) (parts, error) {
		f.Coin = coin
		totals, err := sums.BySymbol(ctx, q.Tx, f)
		p := parts{}
		for _, s := range totals {
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

func inviteeParts(list []sums.InviteeSums, coin affiliate.Coin) parts {
	p := parts{}
	for _, s := range list {
		if s.Coin == coin {
			p.add(rankKey{string(s.UID), s.Account}, s.Sums)
		}
	}
	return p
}

// codeParts adds invitees up by invite code; those whose code is not known
// share one part without a name.
func codeParts(sumsList []sums.InviteeSums, coin affiliate.Coin, codes map[sums.InviteeKey]string) parts {
	p := parts{}
	for _, s := range sumsList {
		if s.Coin == coin {
			p.add(rankKey{name: codes[sums.InviteeKey{Account: s.Account, UID: s.UID}]}, s.Sums)
		}
	}
	return p
}
