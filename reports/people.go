package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// inviteeCards counts people in the range and in the compared one.
func (q *question) inviteeCards(ctx context.Context, now people, sumsBefore []store.InviteeSums, ref reference) (InviteeCards, error) {
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

// people are the counts of a range with how far they can be believed.
type people struct {
	counts     store.InviteeCounts
	active     int64
	ahead      bool // no day of the range has begun
	registered bool // all registrations of the range that the exchange gives are collected
	beyond     bool // but it gives some no more
	listed     bool // all invitees that the exchange still lists are collected
	early      bool // in part of the range there were invitees that it lists no more
	traded     bool // the commissions of the range are collected, or a part of them that tells of somebody
}

func (q *question) people(ctx context.Context, days affiliate.Days, active int64) (people, error) {
	p := people{active: active}
	var err error
	if p.counts, err = q.inviteeCounts(ctx, days.Range(q.Zone)); err != nil {
		return p, err
	}
	return p, q.believe(ctx, &p, days)
}

// believe settles how far counts of the days can be believed.
func (q *question) believe(ctx context.Context, p *people, days affiliate.Days) error {
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
func (q *question) inviteeCounts(ctx context.Context, span affiliate.Range) (store.InviteeCounts, error) {
	filter, all := q.inviteeFilter(), store.InviteeFilter{Account: q.Account, AsOf: q.asOfMillis()}
	counts, err := q.InviteeCounts(ctx, filter, span)
	if err != nil || filter == all {
		return counts, err
	}
	reported, err := q.InviteeCounts(ctx, all, span)
	counts.DepositsKnown, counts.TradesKnown = reported.DepositsKnown, reported.TradesKnown
	return counts, err
}

func (p people) whyNotRegistered() string {
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
func (p people) whyNotFirst(reported bool) string {
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

func (p people) whyNotActive() string {
	switch {
	case p.ahead:
		return notBegun
	case !p.traded:
		return notYet
	}
	return ""
}

// activeTraders counts the invitees, who have a line for each coin.
func activeTraders(sums []store.InviteeSums) int64 {
	type invitee struct {
		account affiliate.Account
		uid     affiliate.UID
	}
	active := make(map[invitee]bool, len(sums))
	for _, s := range sums {
		active[invitee{s.Account, s.UID}] = true
	}
	return int64(len(active))
}
