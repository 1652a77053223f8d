package reports

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/subaffiliates"
)

// report answers a query from the cache, or by making the report from one state
// of the store.
func report[T any](ctx context.Context, s *Service, name string, asked query.Query, make func(context.Context, *question.Question) (T, error)) (T, error) {
	return answer(ctx, s, name, asked, func(ctx context.Context) (T, error) { return ask(ctx, s, asked, make) })
}

// ask opens a query for as long as make runs.
func ask[T any](ctx context.Context, s *Service, asked query.Query, make func(context.Context, *question.Question) (T, error)) (v T, err error) {
	q, err := s.ask(ctx, asked)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	return make(ctx, q)
}

// Overview answers the query for the front page.
func (s *Service) Overview(ctx context.Context, asked query.Query) (overview.Report, error) {
	return report(ctx, s, "Overview", asked, overview.Make)
}

// Commissions answers the query for one page of records.
func (s *Service) Commissions(ctx context.Context, asked query.Query) (commissions.Report, error) {
	return report(ctx, s, "Commissions", asked, commissions.Make)
}

// Codes answers the query for one page of invite codes. Query.Text is part of a code.
// Product, coin, source and symbol narrow the commission of codes and not the registrations
// with them.
func (s *Service) Codes(ctx context.Context, asked query.Query) (invitecodes.Report, error) {
	return report(ctx, s, "Codes", asked, invitecodes.Make)
}

// Cohorts answers the query for a table of cohorts.
func (s *Service) Cohorts(ctx context.Context, asked query.Query) (cohorts.Report, error) {
	return report(ctx, s, "Cohorts", asked, cohorts.Make)
}

// Invitees lists invitees: those the exchange ever listed and those known from commission
// only. Query.Text is part of a UID or an invite code. The product, coin, source and symbol
// of the query narrow the invitees' commission, not the invitees.
func (s *Service) Invitees(ctx context.Context, asked query.Query) (invitees.List, error) {
	return report(ctx, s, "Invitees", asked, invitees.MakeList)
}

// Invitee answers the query, which names a UID, for its page.
func (s *Service) Invitee(ctx context.Context, asked query.Query) (invitees.Detail, error) {
	return report(ctx, s, "Invitee", asked, invitees.MakeOne)
}

// Restatements answers the query for records that changed after their days had been
// collected. Per coin, the changes add up to the present sum minus the sum when each day
// was first completely read. The order is always the newest notice first; the query's own
// order is for records.
func (s *Service) Restatements(ctx context.Context, asked query.Query) (commissions.RestatementsReport, error) {
	return report(ctx, s, "Restatements", asked, commissions.MakeRestatements)
}

// Changes answers the query, which names the instant since which it asks, for what became
// known since. It takes [changes.AcceptedOfChanges].
func (s *Service) Changes(ctx context.Context, asked query.Query) (changes.Report, error) {
	return report(ctx, s, "Changes", asked, changes.Make)
}

// Why answers the query, which must be [query.Query.Whyable], for its main coin.
func (s *Service) Why(ctx context.Context, asked query.Query) (overview.Why, error) {
	return report(ctx, s, "Why", asked, overview.MakeWhy)
}

// Drivers answers the query, which takes [drivers.AcceptedOfDrivers], for what moved the
// commission since the compared period.
func (s *Service) Drivers(ctx context.Context, asked query.Query) (drivers.Report, error) {
	return report(ctx, s, "Drivers", asked, drivers.Make)
}

// SubAffiliates answers the query for one page of sub-affiliates.
func (s *Service) SubAffiliates(ctx context.Context, asked query.Query) (subaffiliates.Report, error) {
	if err := subaffiliates.Takes(asked); err != nil {
		return subaffiliates.Report{}, err
	}
	return report(ctx, s, "SubAffiliates", asked, subaffiliates.Make)
}

// SubAffiliate answers the query, which names a UID, for its page.
func (s *Service) SubAffiliate(ctx context.Context, asked query.Query) (subaffiliates.Detail, error) {
	if err := subaffiliates.Takes(asked); err != nil {
		return subaffiliates.Detail{}, err
	}
	return report(ctx, s, "SubAffiliate", asked, subaffiliates.MakeOne)
}

// Pivot answers the query, which takes [pivot.AcceptedOfPivot], for one page of a table of two
// axes.
func (s *Service) Pivot(ctx context.Context, asked query.Query) (pivot.Report, error) {
	return report(ctx, s, "Pivot", asked, pivot.Make)
}

// Silent lists, by coin, all invitees who fell silent. It uses the account and the segment of the
// query.
func (s *Service) Silent(ctx context.Context, asked query.Query) ([]attention.SilentFinding, error) {
	return ask(ctx, s, query.Query{Account: asked.Account, Segment: asked.Segment, Zone: asked.Zone, Today: asked.Today}, attention.MakeSilent)
}

// Missing lists the gaps in all days that were ever to be collected, as of now, by stream.
// It uses the account of the query.
func (s *Service) Missing(ctx context.Context, asked query.Query) ([]coverage.Gap, error) {
	return ask(ctx, s, query.Query{Account: asked.Account, Zone: asked.Zone, Today: asked.Today}, func(ctx context.Context, q *question.Question) ([]coverage.Gap, error) {
		return attention.MakeMissing(ctx, q, q.Today)
	})
}

// RestatedSince sums the restatements of a coin, over all days, that were noticed after
// since. It uses the account, the coin and the segment of the query. See [Service.Restatements].
func (s *Service) RestatedSince(ctx context.Context, asked query.Query, since affiliate.Millis) (commissions.Restated, error) {
	about := query.Query{Account: asked.Account, Coin: asked.Coin, Segment: asked.Segment, Zone: asked.Zone, Today: asked.Today}
	return ask(ctx, s, about, func(ctx context.Context, q *question.Question) (commissions.Restated, error) {
		return commissions.RestatedSince(ctx, q, asked.Coin, since)
	})
}

// Weekdays compares the days of the query, for its account, coin and segment, with the same weekdays
// before, oldest first. It leaves out days that may still change and days with fewer than
// three to compare with: unknown is not the same as low.
func (s *Service) Weekdays(ctx context.Context, asked query.Query) ([]overview.Weekday, error) {
	about := query.Query{Account: asked.Account, Coin: asked.Coin, Segment: asked.Segment, Zone: asked.Zone, Today: asked.Today, Days: asked.Days}
	return ask(ctx, s, about, overview.MakeWeekdays)
}

// Settled returns the coverage of a finished range by the given kinds of streams, for
// figures that are sent once, such as a summary. A day that was read before the exchange
// may have listed its last records counts as a gap. Days older than the exchange's limit
// are not gaps. Through is that of the first kind. The coverage is the present one,
// whatever the instant of the query.
func (s *Service) Settled(ctx context.Context, asked query.Query, kinds ...affiliate.StreamKind) (coverage.Coverage, error) {
	asked.AsOf = time.Time{}
	return ask(ctx, s, asked, func(ctx context.Context, q *question.Question) (coverage.Coverage, error) {
		return collection.MakeSettled(ctx, q, kinds)
	})
}

// Runs lists the runs of the collector, newest first, and counts them all. Pages count from
// 1; one past the end has no rows. An empty account means all.
func (s *Service) Runs(ctx context.Context, account affiliate.Account, page, per int) (rows []collection.RunRow, total int64, err error) {
	_, err = ask(ctx, s, query.Query{Account: account, Page: page, Per: per}, func(ctx context.Context, q *question.Question) (struct{}, error) {
		rows, total, err = collection.MakeRuns(ctx, q)
		return struct{}{}, err
	})
	return rows, total, err
}

// Calendar says of each UTC day of each stream how far it is collected. An empty account
// means all; an unknown account is a *[ParamError].
func (s *Service) Calendar(ctx context.Context, account affiliate.Account) ([]coverage.StreamCalendar, error) {
	return answer(ctx, s, "Calendar", account, func(ctx context.Context) ([]coverage.StreamCalendar, error) {
		return ask(ctx, s, query.Query{Account: account, Zone: time.UTC, Today: affiliate.DayOf(s.now(), time.UTC)}, collection.MakeCalendar)
	})
}

// Collection reports how far everything is collected.
func (s *Service) Collection(ctx context.Context) (collection.Report, error) {
	return answer(ctx, s, "Collection", nil, func(ctx context.Context) (collection.Report, error) {
		today := affiliate.DayOf(s.now(), s.store.Zone())
		return ask(ctx, s, query.Query{Range: query.AllTime, Zone: s.store.Zone(), Today: today, Days: affiliate.Days{First: today, Last: today}}, collection.Make)
	})
}

// Coins lists the coins with known commission.
func (s *Service) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return ask(ctx, s, query.Query{}, func(ctx context.Context, q *question.Question) ([]affiliate.Coin, error) {
		return q.Coins(ctx)
	})
}

// Coin resolves the coins of a filter as reports do: to stored coins, otherwise the names
// as typed.
func (s *Service) Coin(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	if filter == "" {
		return "", nil
	}
	return ask(ctx, s, query.Query{Coin: filter}, func(_ context.Context, q *question.Question) (affiliate.Coin, error) {
		return q.Coin, nil
	})
}
