package overview

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// rankings returns the bar lists of the overview, for one coin.
func rankings(ctx context.Context, q *snapshot.Snapshot, coin affiliate.Coin, brought, before invitees.TotalsByInvitee, ref figures.Reference) ([]figures.Ranking, error) {
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return nil, err
	}
	top := ref.Rank(figures.RankInvitees, coin, inviteeParts(brought, coin), inviteeParts(before, coin), figures.RankLength)
	for i := range top.Lines {
		line := &top.Lines[i]
		key := sums.InviteeKey{Account: line.Account, UID: affiliate.UID(line.Name)}
		line.Code, line.OurCode = codes.Of(key), codes.Ours(key.Account, key.UID)
	}
	pairs, err := pairs(ctx, q, coin, ref)
	byCode := ref.Rank(figures.RankCodes, coin, codeParts(brought, coin, codes), codeParts(before, coin, codes), figures.RankLength)
	for i := range byCode.Lines {
		line := &byCode.Lines[i]
		line.OurCode = codes.OnlyOurs(line.Name)
	}
	if err != nil || !ref.Known {
		return []figures.Ranking{top, pairs, byCode}, err
	}
	return []figures.Ranking{top, pairs, byCode}, addPresences(ctx, q, ref, codes, top.Lines, byCode.Lines)
}

// addPresences says of each line in which periods it had commission.
func addPresences(ctx context.Context, q *snapshot.Snapshot, ref figures.Reference, codes *snapshot.CodeBook, top, byCode []figures.RankLine) error {
	periods, err := invitees.ReadTwoPeriods(ctx, q, ref.Days)
	if err != nil {
		return err
	}
	keys, names := make([]sums.InviteeKey, len(top)), make([]string, len(byCode))
	for i := range top {
		keys[i] = sums.InviteeKey{Account: top[i].Account, UID: affiliate.UID(top[i].Name)}
	}
	for i := range byCode {
		names[i] = byCode[i].Name
	}
	ofInvitees, err := invitees.PresencesOf(ctx, periods, keys, func(key sums.InviteeKey) sums.InviteeKey { return key })
	if err != nil {
		return err
	}
	ofCodes, err := invitees.PresencesOf(ctx, periods, names, codes.Of)
	for i := range top {
		top[i].Presence = ofInvitees[keys[i]]
	}
	for i, name := range names {
		if name != "" { // several codes may stand behind it
			byCode[i].Presence = ofCodes[name]
		}
	}
	return err
}

func pairs(ctx context.Context, q *snapshot.Snapshot, coin affiliate.Coin, ref figures.Reference) (figures.Ranking, error) {
	read := func(f records.CommissionFilter) (figures.RankSums, error) {
		f.Coin = coin
		totals, err := snapshot.OfDays(ctx, q, "sums by pair", f, sums.FiguresOfSymbols, sums.JoinSymbols)
		p := figures.RankSums{}
		for _, s := range totals.Sums() {
			p.Add(figures.RankKey{Name: s.Symbol}, s.Sums)
		}
		return p, err
	}
	now, err := read(q.Filter())
	if err != nil || !ref.Known {
		return ref.Rank(figures.RankPairs, coin, now, nil, figures.RankLength), err
	}
	f := q.Filter()
	f.Days = ref.Days
	before, err := read(f)
	if err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return ref.Rank(figures.RankPairs, coin, now, before, figures.RankLength), err
}

func inviteeParts(brought invitees.TotalsByInvitee, coin affiliate.Coin) figures.RankSums {
	p := figures.RankSums{}
	for key, coins := range brought {
		for _, t := range coins {
			if t.Coin == coin {
				p.AddTotals(figures.RankKey{Name: string(key.UID), Account: key.Account}, t)
			}
		}
	}
	return p
}

// codeParts adds up invitees by invite code; those whose code is not known share one part
// without a name.
func codeParts(brought invitees.TotalsByInvitee, coin affiliate.Coin, codes *snapshot.CodeBook) figures.RankSums {
	p := figures.RankSums{}
	for key, coins := range brought {
		for _, t := range coins {
			if t.Coin == coin {
				p.AddTotals(figures.RankKey{Name: codes.Of(key)}, t)
			}
		}
	}
	return p
}
