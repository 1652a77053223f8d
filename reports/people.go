package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// inviteeCards counts people in the range and in the compared one.
func (q *question) inviteeCards(ctx context.Context, now peopleCounts, sumsBefore []sums.InviteeSums, ref reference) (InviteeCards, error) {
	cards := InviteeCards{
		Registered:      countFrom(now.counts.Registered, now.whyNotRegistered(), now.beyond),
		FirstDepositors: countFrom(now.counts.FirstDepositors, now.whyNotFirst(now.counts.DepositsKnown), now.early),
		FirstTraders:    countFrom(now.counts.FirstTraders, now.whyNotFirst(now.counts.TradesKnown), now.early),
		ActiveTraders:   count(now.active, now.whyNotActive()),
	}
	if !ref.asked {
		return cards, nil
	}
	before, err := q.people(ctx, ref.days, activeTraders(sumsBefore))
	if err != nil {
		return InviteeCards{}, err
	}
	first := before.whyNotFirst(true) == "" && !before.early
	cards.Registered.compare(before.counts.Registered, before.whyNotRegistered() == "" && !before.beyond, ref.open)
	cards.FirstDepositors.compare(before.counts.FirstDepositors, first, ref.open)
	cards.FirstTraders.compare(before.counts.FirstTraders, first, ref.open)
	cards.ActiveTraders.compare(before.active, ref.known, ref.open)
	return cards, nil
}

// peopleCounts are the counts of a range with how far they can be believed.
type peopleCounts struct {
	counts     records.InviteeCounts
	active     int64
	ahead      bool // no day of the range has begun
	registered bool // all registrations of the range that the exchange gives are collected
	beyond     bool // but it gives some no more
	listed     bool // all invitees that the exchange still lists are collected
	early      bool // in part of the range there were invitees that it lists no more
	traded     bool // the commissions of the range are collected, or a part of them that tells of somebody
}

func (q *question) people(ctx context.Context, days affiliate.Days, active int64) (peopleCounts, error) {
	p := peopleCounts{active: active}
	var err error
	if p.counts, err = q.inviteeCounts(ctx, days.Range(q.Zone)); err != nil {
		return p, err
	}
	return p, q.believe(ctx, &p, days)
}

// believe settles how far counts of the days can be believed.
func (q *question) believe(ctx context.Context, p *peopleCounts, days affiliate.Days) error {
	reach := q.reach()
	whole, err := q.coverage(ctx, affiliate.Invitees, reach)
	if err != nil {
		return err
	}
	p.listed = whole.summary(reach).Complete()
	own, err := q.coverage(ctx, affiliate.Invitees, days)
	if err != nil {
		return err
	}
	registered := own.summary(days)
	p.beyond = registered.Beyond > 0
	p.registered = registered.Complete() || p.beyond && len(registered.Gaps) == 0 // as far as they ever will be
	p.early, p.ahead = days.First < reach.First, days.First > reach.Last
	traded, err := q.coverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return err
	}
	active := traded.summary(days)
	p.traded = active.Collected > 0 && (p.active > 0 || active.Complete()) // nobody on part of the days says nothing of the others
	return nil
}

// inviteeCounts counts the invitees of the query. What the exchange reports is
// a matter of the account, not of the few that a filter leaves.
func (q *question) inviteeCounts(ctx context.Context, span affiliate.Range) (records.InviteeCounts, error) {
	filter, all := q.inviteeFilter(), records.InviteeFilter{Account: q.Account, AsOf: q.asOfMillis()}
	counts, err := records.CountInvitees(ctx, q.Tx, filter, span)
	if err != nil || filter == all {
		return counts, err
	}
	reported, err := records.CountInvitees(ctx, q.Tx, all, span)
	counts.DepositsKnown, counts.TradesKnown = reported.DepositsKnown, reported.TradesKnown
	return counts, err
}

func (p peopleCounts) whyNotRegistered() string {
	switch {
	case p.ahead:
		return notBegun
	case !p.registered:
		return notYet
	}
	return ""
}

// whyNotFirst tells why first deposits or trades cannot be counted. They may
// be of any invitee, not only of those who registered in the range.
func (p peopleCounts) whyNotFirst(reported bool) string {
	switch {
	case p.ahead:
		return notBegun
	case !p.listed:
		return notYet
	case !reported:
		return notReported
	}
	return ""
}

func (p peopleCounts) whyNotActive() string {
	switch {
	case p.ahead:
		return notBegun
	case !p.traded:
		return notYet
	}
	return ""
}

// activeTraders counts the invitees, who have a line for each coin.
func activeTraders(totals []sums.InviteeSums) int64 {
	type invitee struct {
		account affiliate.Account
		uid     affiliate.UID
	}
	active := make(map[invitee]bool, len(totals))
	for _, s := range totals {
		active[invitee{s.Account, s.UID}] = true
	}
	return int64(len(active))
}

// InviteeCards count people, over all coins.
type InviteeCards struct {
	Registered      Count // registered in the range
	FirstDepositors Count // first deposit in the range
	FirstTraders    Count // first trade in the range
	ActiveTraders   Count // with at least one commission record in the range
}
