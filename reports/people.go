package reports

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// yearReach is how many days back an invitee may have registered and still be
// listed by the exchange.
const yearReach = 364

// inviteeCards counts people in the range and in the compared one.
func (q *question) inviteeCards(ctx context.Context, sums []store.InviteeSums, ref reference) (InviteeCards, error) {
	now, err := q.people(ctx, q.Days, activeTraders(sums))
	if err != nil {
		return InviteeCards{}, err
	}
	cards := InviteeCards{
		Registered:      now.count(now.counts.Registered, now.registered, true),
		FirstDepositors: now.count(now.counts.FirstDepositors, now.all, now.counts.DepositsKnown),
		FirstTraders:    now.count(now.counts.FirstTraders, now.all, now.counts.TradesKnown),
		ActiveTraders:   Count{N: now.active, Known: now.traded, Reason: now.reason(now.traded, true)},
	}
	if !ref.asked {
		return cards, nil
	}
	f := q.filter()
	f.Days = ref.days
	active, err := q.ActiveTraders(ctx, f)
	if err != nil {
		return InviteeCards{}, err
	}
	before, err := q.people(ctx, ref.days, active)
	if err != nil {
		return InviteeCards{}, err
	}
	cards.Registered.compare(before.counts.Registered, before.registered)
	cards.FirstDepositors.compare(before.counts.FirstDepositors, before.all)
	cards.FirstTraders.compare(before.counts.FirstTraders, before.all)
	cards.ActiveTraders.compare(before.active, ref.known)
	return cards, nil
}

// people are the counts of a range with how far they can be believed.
type people struct {
	counts     store.InviteeCounts
	active     int64
	registered bool // all registrations of the range are collected
	all        bool // all invitees within the exchange's reach are collected
	traded     bool // at least part of the commissions of the range is collected
}

func (q *question) people(ctx context.Context, days affiliate.Days, active int64) (people, error) {
	p := people{active: active}
	var err error
	if p.counts, err = q.InviteeCounts(ctx, q.inviteeFilter(), days.Range(q.Zone)); err != nil {
		return p, err
	}
	reach := affiliate.Days{First: min(days.First, q.Today-yearReach), Last: max(days.Last, q.Today)}
	cover, err := q.coverage(ctx, affiliate.Invitees, reach)
	if err != nil {
		return p, err
	}
	p.registered = cover.summary(days).Complete()
	p.all = cover.summary(affiliate.Days{First: q.Today - yearReach, Last: q.Today}).Complete()
	traded, err := q.coverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return p, err
	}
	p.traded = traded.summary(days).Collected > 0
	return p, nil
}

func (p people) count(n int64, collected, reported bool) Count {
	known := collected && reported
	return Count{N: n, Known: known, Reason: p.reason(collected, reported), Change: Change{Kind: ChangeNone}}
}

func (p people) reason(collected, reported bool) string {
	switch {
	case !collected:
		return "not collected completely yet"
	case !reported:
		return "the exchange does not report it for this account"
	}
	return ""
}

// compare sets the count beside its reference.
func (c *Count) compare(before int64, known bool) {
	c.Reference = before
	if !c.Known || !known {
		c.Change = Change{Kind: ChangeUnknown}
		return
	}
	c.Change = changeOf(decimal.NewFromInt(c.N), decimal.NewFromInt(before))
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
