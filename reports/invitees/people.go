package invitees

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// MakeCards counts people in the range and in the compared one.
func MakeCards(ctx context.Context, q *snapshot.Snapshot, now PeopleCounts, before TotalsByInvitee, ref figures.Reference) (Cards, error) {
	cards := Cards{
		Registered:      figures.CountFrom(now.counts.Registered, now.WhyNotRegistered(), now.Beyond),
		FirstDepositors: figures.CountFrom(now.counts.FirstDepositors, now.whyNotFirst(now.counts.DepositsKnown), now.Early),
		FirstTraders:    figures.CountFrom(now.counts.FirstTraders, now.whyNotFirst(now.counts.TradesKnown), now.Early),
		ActiveTraders:   figures.CountOf(now.active, now.WhyNotActive()),
	}
	if !ref.Asked {
		return cards, nil
	}
	then, err := CountPeople(ctx, q, ref.Days, int64(len(before)))
	if err != nil {
		return Cards{}, err
	}
	first := then.whyNotFirst(true) == "" && !then.Early
	cards.Registered.Compare(then.counts.Registered, then.WhyNotRegistered() == "" && !then.Beyond, ref.Open)
	cards.FirstDepositors.Compare(then.counts.FirstDepositors, first, ref.Open)
	cards.FirstTraders.Compare(then.counts.FirstTraders, first, ref.Open)
	cards.ActiveTraders.Compare(then.active, ref.Known, ref.Open)
	return cards, nil
}

// CompareNone removes the comparison of all counts.
func (c *Cards) CompareNone() {
	for _, count := range []*figures.Count{&c.Registered, &c.FirstDepositors, &c.FirstTraders, &c.ActiveTraders} {
		count.Change, count.Reference = figures.Change{Kind: figures.ChangeNone}, 0
	}
}

// PeopleCounts are the counts of a range and their reliability.
type PeopleCounts struct {
	counts     records.InviteeCounts
	active     int64
	ahead      bool // no day of the range has begun
	Registered bool // all registrations of the range that the exchange returns are collected
	Beyond     bool // the exchange no longer returns some registrations
	Listed     bool // all invitees that the exchange still lists are collected
	Early      bool // a part of the range had invitees that the exchange no longer lists
	traded     bool // the commissions of the range are collected, or a part with at least one trader is
}

// CountPeople counts the people of some days; traded of them traded.
func CountPeople(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days, active int64) (PeopleCounts, error) {
	p := PeopleCounts{active: active}
	var err error
	if p.counts, err = inviteeCounts(ctx, q, days.Range(q.Zone)); err != nil {
		return p, err
	}
	return p, Believe(ctx, q, &p, days)
}

// Believe determines how reliable the counts of the days are.
func Believe(ctx context.Context, q *snapshot.Snapshot, p *PeopleCounts, days affiliate.Days) error {
	reach := q.Listable()
	whole, err := q.ReadCoverage(ctx, affiliate.Invitees, reach)
	if err != nil {
		return err
	}
	p.Listed = whole.Summary(reach).Complete()
	own, err := q.ReadCoverage(ctx, affiliate.Invitees, days)
	if err != nil {
		return err
	}
	registered := own.Summary(days)
	p.Beyond = registered.Beyond > 0
	p.Registered = registered.Complete() || p.Beyond && len(registered.Gaps) == 0 // as far as they ever will be
	p.Early, p.ahead = days.First < reach.First, days.First > reach.Last
	traded, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return err
	}
	active := traded.Summary(days)
	p.traded = active.Collected > 0 && (p.active > 0 || active.Complete()) // no traders on a part of the days prove nothing about the others
	return nil
}

// inviteeCounts counts the invitees of the query. Whether the exchange reports deposits and
// trades depends on the account, so that is read without the other filters.
func inviteeCounts(ctx context.Context, q *snapshot.Snapshot, span affiliate.Range) (records.InviteeCounts, error) {
	filter, all := q.InviteeFilter(), records.InviteeFilter{Account: q.Account, Members: q.Visible, AsOf: q.AsOfMillis()}
	counts, err := records.CountInvitees(ctx, q.Tx, filter, span)
	if err != nil || filter == all {
		return counts, err
	}
	reported, err := records.CountInvitees(ctx, q.Tx, all, span)
	counts.DepositsKnown, counts.TradesKnown = reported.DepositsKnown, reported.TradesKnown
	return counts, err
}

// WhyNotRegistered returns why registrations cannot be counted. It is empty if they can.
func (p PeopleCounts) WhyNotRegistered() string {
	switch {
	case p.ahead:
		return figures.NotBegun
	case !p.Registered:
		return figures.NotYet
	}
	return ""
}

// whyNotFirst returns why first deposits or trades cannot be counted. They may belong to
// any invitee, not only to those who registered in the range.
func (p PeopleCounts) whyNotFirst(reported bool) string {
	switch {
	case p.ahead:
		return figures.NotBegun
	case !p.Listed:
		return figures.NotYet
	case !reported:
		return figures.NotReported
	}
	return ""
}

// WhyNotActive returns why active traders cannot be counted. It is empty if they can.
func (p PeopleCounts) WhyNotActive() string {
	switch {
	case p.ahead:
		return figures.NotBegun
	case !p.traded:
		return figures.NotYet
	}
	return ""
}

// Cards count people, over all coins.
type Cards struct {
	Registered      figures.Count // registered in the range
	FirstDepositors figures.Count // first deposit in the range
	FirstTraders    figures.Count // first trade in the range
	ActiveTraders   figures.Count // with at least one commission record in the range
}
