package reports

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Ask answers a query with the report that a function makes from one state of the store, such as
// [overview.Make], or with the same report from the cache. Callers share the value and must not
// change it. The name of the function and the query are the key of the cache, so the function must
// not depend on anything else.
func Ask[T any](ctx context.Context, s *Service, asked query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (T, error) {
	name := runtime.FuncForPC(reflect.ValueOf(make).Pointer()).Name()
	return answer(ctx, s, name, asked, func(ctx context.Context) (T, error) { return Fresh(ctx, s, asked, make) })
}

// Fresh is [Ask] without the cache.
func Fresh[T any](ctx context.Context, s *Service, asked query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (v T, err error) {
	q, err := s.ask(ctx, asked)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	return make(ctx, q)
}

// With opens a question for f, as [Fresh] does for a report.
func (s *Service) With(ctx context.Context, asked query.Query, f func(context.Context, *snapshot.Snapshot) error) error {
	_, err := Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (struct{}, error) { return struct{}{}, f(ctx, q) })
	return err
}

// Settled returns the coverage of a finished range by the given kinds of streams, for
// figures that are sent once, such as a summary. A day that was read before the exchange
// may have listed its last records counts as a gap. Days older than the exchange's limit
// are not gaps. Through is that of the first kind. The coverage is the present one,
// whatever the instant of the query.
func (s *Service) Settled(ctx context.Context, asked query.Query, kinds ...affiliate.StreamKind) (coverage.Coverage, error) {
	asked.AsOf = time.Time{}
	return Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
		return collection.MakeSettled(ctx, q, kinds)
	})
}

// Runs lists the runs of the collector, newest first, and counts them all. Pages count from
// 1; one past the end has no rows. An empty account means all.
func (s *Service) Runs(ctx context.Context, account affiliate.Account, page, per int) (rows []collection.RunRow, total int64, err error) {
	_, err = Fresh(ctx, s, query.Query{Account: account, Page: page, Per: per}, func(ctx context.Context, q *snapshot.Snapshot) (struct{}, error) {
		rows, total, err = collection.MakeRuns(ctx, q)
		return struct{}{}, err
	})
	return rows, total, err
}

// Calendar says of each UTC day of each stream how far it is collected. An empty account
// means all; an unknown account is a *[ParamError].
func (s *Service) Calendar(ctx context.Context, account affiliate.Account) ([]coverage.StreamCalendar, error) {
	return answer(ctx, s, "Calendar", account, func(ctx context.Context) ([]coverage.StreamCalendar, error) {
		return Fresh(ctx, s, query.Query{Account: account, Zone: time.UTC, Today: affiliate.DayOf(s.now(), time.UTC)}, collection.MakeCalendar)
	})
}

// Collection reports how far everything is collected.
func (s *Service) Collection(ctx context.Context) (collection.Report, error) {
	return answer(ctx, s, "Collection", nil, func(ctx context.Context) (collection.Report, error) {
		today := affiliate.DayOf(s.now(), s.store.Zone())
		return Fresh(ctx, s, query.Query{Range: query.AllTime, Zone: s.store.Zone(), Today: today, Days: affiliate.Days{First: today, Last: today}}, collection.Make)
	})
}

// Coins lists the coins with known commission.
func (s *Service) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return Fresh(ctx, s, query.Query{}, func(ctx context.Context, q *snapshot.Snapshot) ([]affiliate.Coin, error) {
		return q.Coins(ctx)
	})
}

// Coin resolves the coins of a filter as reports do: to stored coins, otherwise the names
// as typed.
func (s *Service) Coin(ctx context.Context, filter affiliate.Coin) (affiliate.Coin, error) {
	if filter == "" {
		return "", nil
	}
	return Fresh(ctx, s, query.Query{Coin: filter}, func(_ context.Context, q *snapshot.Snapshot) (affiliate.Coin, error) {
		return q.Coin, nil
	})
}
