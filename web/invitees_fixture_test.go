package web_test

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Invitees lists those of whom the fixture has records: enough to see how their
// texts are shown.
func (p *programme) Invitees(_ context.Context, q query.Query) (invitees.InviteeList, error) {
	r := invitees.InviteeList{Query: q, Coverage: p.coverage(q), Listed: p.coverage(q), Lifetime: p.coverage(q), Empty: p.empty, Pages: 1,
		Since: q.Days.First, Options: p.options(), Choices: map[string]int{}, Tags: []people.TagCount{{Tag: "vip", Invitees: 1}}}
	if err := p.answer(); err != nil || p.empty != "" {
		return r, err
	}
	rows := p.matching(q, q.Days)
	for _, row := range rows {
		if slices.ContainsFunc(r.Lines, func(l invitees.InviteeLine) bool { return l.UID == row.UID }) || len(r.Lines) == q.Per {
			continue
		}
		own := q
		own.UID = row.UID
		sums := totals(p.matching(own, q.Days))
		r.Lines = append(r.Lines, invitees.InviteeLine{Account: row.Account, Status: records.InviteeListed, State: invitees.StateActive,
			Invitee:      affiliate.Invitee{UID: row.UID, InviteCode: row.InviteCode, RegisterTime: row.DealTime, KYC: "true"},
			LastTradeDay: q.Today - 1, SilentDays: 1, InRange: sums, Lifetime: sums, Tags: []string{row.InviteCode}})
	}
	r.All, r.Count, r.Choices["active"] = len(r.Lines), len(r.Lines), len(r.Lines)
	if r.Count == 0 {
		r.Empty = coverage.EmptyFiltered
		return r, nil
	}
	r.Ever = totals(rows)
	r.Coin = r.Ever[0].Coin
	for _, t := range r.Ever {
		r.Totals = append(r.Totals, card(t, nil, query.CompareNone))
	}
	return r, nil
}

// Invitee knows the same ones.
func (p *programme) Invitee(ctx context.Context, q query.Query) (invitees.InviteeReport, error) {
	r := invitees.InviteeReport{Query: q, Options: p.options(), Coverage: p.coverage(q), Lifetime: p.coverage(q), Listed: p.coverage(q), Since: q.Days.First, Empty: p.empty}
	list, err := p.Invitees(ctx, q)
	if err != nil || len(list.Lines) == 0 {
		return r, err
	}
	r.Known, r.Line, r.Chosen = list.Lines, list.Lines[0], true
	r.Cards, r.Coin, r.Daily = list.Totals, list.Coin, p.daily(q, list.Coin)
	r.History = invitees.InviteeHistory{Invitee: r.Line.Invitee, Account: r.Line.Account, Status: r.Line.Status, FirstSeen: affiliate.MillisOf(now),
		Changes: []invitees.InviteeChange{{Noticed: affiliate.MillisOf(now), Event: invitees.EventChanged, Field: records.FieldInviteCode, Became: r.Line.InviteCode}}}
	for _, row := range p.matching(q, q.Days) {
		r.Pairs = sums.Ranking[sums.SymbolSums]{Coin: list.Coin, OthersN: 1,
			Top:    []sums.SymbolSums{{Symbol: row.Symbol, Coin: row.Coin, Sums: sums.Sums{Records: 1, Commission: "1"}}},
			Others: sums.Sums{Commission: "1"}, Total: sums.Sums{Commission: "2"}}
	}
	return r, nil
}
