package reports

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
)

// report answers a query from the cache, or by making the report from one state
// of the store.
func report[T any](ctx context.Context, s *Service, name string, query Query, make func(context.Context, *question) (T, error)) (T, error) {
	return answer(ctx, s, name, query, func(ctx context.Context) (T, error) { return ask(ctx, s, query, make) })
}

// ask opens a question for as long as make takes.
func ask[T any](ctx context.Context, s *Service, query Query, make func(context.Context, *question) (T, error)) (v T, err error) {
	q, err := s.ask(ctx, query)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	return make(ctx, q)
}

// Overview answers the query for the front page.
func (s *Service) Overview(ctx context.Context, query Query) (Overview, error) {
	return report(ctx, s, "Overview", query, makeOverview)
}

// Commissions answers the query for one page of records.
func (s *Service) Commissions(ctx context.Context, query Query) (CommissionsReport, error) {
	return report(ctx, s, "Commissions", query, makeCommissions)
}

// Codes answers the query for one page of invite codes. Query.Text is part of a
// code; product, coin, source and symbol narrow what codes brought and not who
// registered with them.
func (s *Service) Codes(ctx context.Context, query Query) (CodesReport, error) {
	return report(ctx, s, "Codes", query, makeCodes)
}

// Cohorts answers the query for a table of cohorts.
func (s *Service) Cohorts(ctx context.Context, query Query) (CohortsReport, error) {
	return report(ctx, s, "Cohorts", query, makeCohorts)
}

// Invitees lists invitees: those the exchange ever listed and those known from
// commission only. Query.Text is part of a UID or an invite code; the product,
// coin, source and symbol of the query narrow what they brought, not who they
// are.
func (s *Service) Invitees(ctx context.Context, query Query) (InviteeList, error) {
	return report(ctx, s, "Invitees", query, makeInvitees)
}

// Invitee answers the query, which names a UID, for its page.
func (s *Service) Invitee(ctx context.Context, query Query) (InviteeReport, error) {
	return report(ctx, s, "Invitee", query, makeInvitee)
}

// Restatements answers the query for what changed of its records after their
// days had been collected. Per coin, the changes add up to what there is now
// less what there was when each day was first read whole. The order is always
// the newest notice first; the query's own order is for records.
func (s *Service) Restatements(ctx context.Context, query Query) (RestatementsReport, error) {
	return report(ctx, s, "Restatements", query, makeRestatements)
}

// Why answers the query, which must be [Query.Whyable], for its main coin.
func (s *Service) Why(ctx context.Context, query Query) (Why, error) {
	return report(ctx, s, "Why", query, makeWhy)
}

// SubAffiliates answers the query for one page of sub-affiliates.
func (s *Service) SubAffiliates(ctx context.Context, query Query) (SubAffiliatesReport, error) {
	return report(ctx, s, "SubAffiliates", query, makeSubAffiliates)
}

// SubAffiliate answers the query, which names a UID, for its page.
func (s *Service) SubAffiliate(ctx context.Context, query Query) (SubAffiliateReport, error) {
	return report(ctx, s, "SubAffiliate", query, makeSubAffiliate)
}

// Attention looks for what needs attention. Of the query it takes the account
// and the instant; runs of the collector belong to no past state, so they are
// left out where an earlier instant is asked for.
func (s *Service) Attention(ctx context.Context, query Query) (Attention, error) {
	return report(ctx, s, "Attention", query, makeAttention)
}

// Silent lists, by coin, those who fell silent: all of them. Of the query it
// takes the account.
func (s *Service) Silent(ctx context.Context, query Query) ([]SilentFinding, error) {
	return ask(ctx, s, Query{Account: query.Account, Zone: query.Zone, Today: query.Today}, silent)
}

// Missing lists what is not collected now of all days that were ever to be, by
// stream. Of the query it takes the account.
func (s *Service) Missing(ctx context.Context, query Query) ([]Gap, error) {
	return ask(ctx, s, Query{Account: query.Account, Zone: query.Zone, Today: query.Today}, func(ctx context.Context, q *question) ([]Gap, error) { return missing(ctx, q, q.Today) })
}

// Noticed adds up what was found after the instant since to have changed of the
// records of a coin, see [Service.Restatements]; of all days. Of the query it takes
// the account and the coin.
func (s *Service) Noticed(ctx context.Context, query Query, since affiliate.Millis) (Noticed, error) {
	about := Query{Account: query.Account, Coin: query.Coin, Zone: query.Zone, Today: query.Today}
	return ask(ctx, s, about, func(ctx context.Context, q *question) (Noticed, error) { return noticed(ctx, q, query.Coin, since) })
}

// Weekdays holds the days of the query, of its account and coin, against the
// same weekdays before, oldest first. A day that may still become another is
// left out, and so is one with less than three to compare with: what is not
// known is not little.
func (s *Service) Weekdays(ctx context.Context, query Query) ([]Weekday, error) {
	about := Query{Account: query.Account, Coin: query.Coin, Zone: query.Zone, Today: query.Today, Days: query.Days}
	return ask(ctx, s, about, makeWeekdays)
}

// Settled is the coverage of a range that is over by all kinds of streams that
// are named, for figures that are told once and not looked at again. A day
// counts as a gap, too, where it was read to its end so soon that the exchange
// may not have listed its last records yet. Days that the exchange lists no more
// are none. Through is that of the first kind. It is about the present, whatever
// instant the query is of.
func (s *Service) Settled(ctx context.Context, query Query, kinds ...affiliate.StreamKind) (Coverage, error) {
	query.AsOf = time.Time{}
	return ask(ctx, s, query, func(ctx context.Context, q *question) (Coverage, error) { return q.settled(ctx, kinds) })
}

// Runs lists the runs of the collector, newest first, and counts them all.
// Pages count from 1; one past the end has no rows. An empty account means all.
func (s *Service) Runs(ctx context.Context, account affiliate.Account, page, per int) (rows []RunRow, total int64, err error) {
	_, err = ask(ctx, s, Query{Account: account, Page: page, Per: per}, func(ctx context.Context, q *question) (struct{}, error) {
		rows, total, err = runs(ctx, q)
		return struct{}{}, err
	})
	return rows, total, err
}

// Calendar says of each UTC day of each stream how far it is collected. An
// empty account means all; one that is not known is a *[ParamError].
func (s *Service) Calendar(ctx context.Context, account affiliate.Account) ([]StreamCalendar, error) {
	return answer(ctx, s, "Calendar", account, func(ctx context.Context) ([]StreamCalendar, error) {
		return ask(ctx, s, Query{Account: account, Zone: time.UTC, Today: affiliate.DayOf(s.now(), time.UTC)}, makeCalendar)
	})
}

// Collection answers how far everything is collected.
func (s *Service) Collection(ctx context.Context) (CollectionReport, error) {
	return answer(ctx, s, "Collection", nil, func(ctx context.Context) (CollectionReport, error) {
		today := affiliate.DayOf(s.now(), s.store.Zone())
		return ask(ctx, s, Query{Range: AllTime, Zone: s.store.Zone(), Today: today, Days: affiliate.Days{First: today, Last: today}}, makeCollection)
	})
}

// Coin is what somebody means by the coins of a filter, as reports take them: the
// stored ones, else the names as they are.
func (s *Service) Coin(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	if filter == "" {
		return "", nil
	}
	r, err := s.store.Read(ctx)
	if err != nil {
		return filter, err
	}
	defer r.Close()
	return storedCoins(ctx, r, filter)
}
