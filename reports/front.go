package reports

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store"
)

// Front is the front page: what was earned, why it changed, whether it was paid, and where the
// present month will end. All of it is about the same state of the store.
type Front struct {
	overview.Report
	Made affiliate.Millis
	// Drivers say what moved the commission since the compared period; nil: nothing is compared.
	Drivers *drivers.Report
	// Payments are nil if the query has a filter by which payments cannot be divided, or is on
	// behalf of a user who is bound to some invitees.
	Payments *payments.PaymentOverview
	// Month is the forecast of the present month, whatever the range of the query; nil: a filter
	// of the query does not apply to it.
	Month *forecast.Report
	Goals []goals.GoalProgress // of that month
}

// MonthParams are the parameters of the front page that apply to its month as well.
var MonthParams = []string{"account", "segment", "as_of"}

// FrontPage answers the query, which takes [overview.AcceptedOfOverview], for the front page. It is
// shared: callers must not change it.
func FrontPage(ctx context.Context, s *Service, asked query.Query) (*Front, error) {
	return answer(ctx, s, "Front", asked, func(ctx context.Context) (*Front, error) { return makeFront(ctx, s, asked) })
}

// makeFront makes the parts, all of the same state. The two halves have little in common, so they
// are made at the same time.
func makeFront(ctx context.Context, s *Service, asked query.Query) (front *Front, err error) {
	front = &Front{Made: affiliate.MillisOf(s.now())}
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	beside, err := r.Beside(ctx)
	if err != nil {
		return nil, err
	}
	if beside == nil { // something was written since
		if err := addEarnings(ctx, s, r, front, asked); err != nil {
			return nil, err
		}
		return front, addMoney(ctx, s, r, front, asked)
	}
	defer func() { err = errors.Join(err, beside.Close()) }()
	var work sync.WaitGroup
	var moneyErr error
	work.Go(func() {
		// Uncaught, a panic here would end the process.
		moneyErr = guard.Do(nil, "payments and the month of the front page", func() error { return addMoney(ctx, s, beside, front, asked) })
	})
	defer work.Wait() // also if the other half panics
	err = addEarnings(ctx, s, r, front, asked)
	work.Wait()
	if err == nil {
		err = moneyErr
	}
	return front, err
}

// askOn answers a query on a transaction that stays open.
func askOn[T any](ctx context.Context, s *Service, r *store.Tx, asked query.Query, make func(context.Context, *question.Question) (T, error)) (v T, err error) {
	q, err := questionOn(ctx, s, r, asked)
	if err != nil {
		return v, err
	}
	return make(ctx, q)
}

// addEarnings adds what was earned, and what moved it.
func addEarnings(ctx context.Context, s *Service, r *store.Tx, front *Front, asked query.Query) (err error) {
	if front.Report, err = askOn(ctx, s, r, asked, overview.Make); err != nil || asked.Compare == query.CompareNone {
		return err
	}
	moved := asked
	moved.By, moved.Metric, moved.UsualCompare = string(drivers.InviteeDrivers), "", ""
	report, err := askOn(ctx, s, r, moved, drivers.Make)
	if err != nil {
		return fmt.Errorf("drivers of the front page: %w", err)
	}
	front.Drivers = &report
	return nil
}

// addMoney adds what was paid, and where the month will end, as far as they can be narrowed as
// the query is.
func addMoney(ctx context.Context, s *Service, r *store.Tx, front *Front, asked query.Query) error {
	if s.bound.Everything() && fits(asked, payments.AcceptedOfPaymentOverview.Taken) {
		q, err := narrowed(ctx, s, asked, payments.AcceptedOfPaymentOverview)
		if err != nil {
			return err
		}
		report, err := askOn(ctx, s, r, q, payments.MakePaymentOverview)
		if err != nil {
			return fmt.Errorf("payments of the front page: %w", err)
		}
		front.Payments = &report
	}
	if !fits(asked, MonthParams) {
		return nil
	}
	q, err := narrowed(ctx, s, asked, query.AcceptedParams{Taken: MonthParams, Usual: query.MonthTo})
	if err != nil {
		return err
	}
	month, err := askOn(ctx, s, r, q, forecast.Make)
	if err != nil {
		return fmt.Errorf("forecast of the front page: %w", err)
	}
	front.Month = &month
	if !s.bound.Everything() || month.Days != forecast.MonthOf(month.Days.First) {
		return nil // goals are those of the whole programme
	}
	q.Range, q.Days = query.Custom, month.Days
	of, err := askOn(ctx, s, r, q, goals.Make)
	if err != nil {
		return fmt.Errorf("goals of the front page: %w", err)
	}
	front.Goals = of.Goals
	return nil
}

// fits reports whether a query is narrowed by nothing but some parameters.
func fits(asked query.Query, params []string) bool {
	for name := range asked.Filters() {
		if !slices.Contains(params, name) {
			return false
		}
	}
	return true
}

// narrowed reads the parameters of a query that a part of the page takes.
func narrowed(ctx context.Context, s *Service, asked query.Query, with query.AcceptedParams) (query.Query, error) {
	basis, err := s.Basis(ctx)
	if err != nil {
		return query.Query{}, err
	}
	basis.AcceptedParams = with
	kept := url.Values{}
	for name, value := range asked.Values() {
		if slices.Contains(with.Taken, name) {
			kept[name] = value
		}
	}
	return query.ParseQuery(kept, basis)
}
