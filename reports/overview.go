package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/tiers"
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
	Payments *payments.Overview
	// Month is the forecast of the present month, whatever the range of the query; nil: a filter
	// of the query does not apply to it.
	Month *forecast.Report
	Goals []goals.Progress // of that month
	Tiers []tiers.Tier     // those within reach in the present month
	// Failed are the parts that a fault of this program prevents. They are left out.
	Failed []FrontPart
}

// FrontPart is a report of the front page.
type FrontPart string

// Parts of the front page.
const (
	FrontEarnings FrontPart = "earnings" // all of [overview.Report]
	FrontDrivers  FrontPart = "drivers"
	FrontPayments FrontPart = "payments"
	FrontMonth    FrontPart = "forecast"
	FrontGoals    FrontPart = "goals"
	FrontTiers    FrontPart = "tiers"
)

// Fails reports whether a part failed.
func (f *Front) Fails(part FrontPart) bool { return slices.Contains(f.Failed, part) }

// MonthParams are the parameters of the front page that apply to its month as well.
var MonthParams = []string{"account", "segment", "as_of"}

// FrontPage answers the query, which takes [overview.Accepted], for the front page. It is
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
	earnings, money := half{service: s, tx: r, Front: front}, half{service: s, tx: beside, Front: front}
	if beside == nil { // something was written since
		money.tx = r
		err = cmp.Or(earnings.addEarnings(ctx, asked), money.addMoney(ctx, asked))
	} else {
		defer func() { err = errors.Join(err, beside.Close()) }()
		var work sync.WaitGroup
		var moneyErr error
		work.Go(func() { // uncaught, a panic here would end the process
			moneyErr = s.Guard.Do("half of the front page", func() error { return money.addMoney(ctx, asked) })
		})
		err = earnings.addEarnings(ctx, asked)
		work.Wait()
		err = cmp.Or(err, moneyErr)
	}
	front.Failed = append(earnings.failed, money.failed...)
	return front, err
}

// half makes some parts of the front page on one transaction.
type half struct {
	*Front
	service *Service
	tx      *store.Tx
	failed  []FrontPart
}

// part makes a part. It returns false if the part failed.
func (h *half) part(name FrontPart, make func() error) (made bool, err error) {
	failed, err := h.service.Guard.Part(string(name)+" of the front page", make)
	if failed {
		h.failed = append(h.failed, name)
	}
	if err != nil {
		err = fmt.Errorf("%s of the front page: %w", name, err)
	}
	return !failed && err == nil, err
}

// askOn answers a query on a transaction that stays open.
func askOn[T any](ctx context.Context, s *Service, r *store.Tx, asked query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (v T, err error) {
	q, err := questionOn(ctx, s, r, asked)
	if err != nil {
		return v, err
	}
	return make(ctx, q)
}

// addEarnings adds what was earned, and what moved it.
func (h *half) addEarnings(ctx context.Context, asked query.Query) error {
	made, err := h.part(FrontEarnings, func() error {
		report, err := askOn(ctx, h.service, h.tx, asked, overview.Make)
		h.Report = report
		return err
	})
	if !made || asked.Compare == query.CompareNone {
		return err
	}
	moved := asked
	moved.By, moved.Metric, moved.UsualCompare = string(drivers.ByInvitee), "", ""
	_, err = h.part(FrontDrivers, func() error {
		report, err := askOn(ctx, h.service, h.tx, moved, drivers.Make)
		h.Drivers = &report
		return err
	})
	return err
}

// addMoney adds what was paid, and where the month will end, as far as they can be narrowed as
// the query is.
func (h *half) addMoney(ctx context.Context, asked query.Query) error {
	s := h.service
	if s.bound.Everything() && fits(asked, payments.AcceptedOfOverview.Taken) {
		q, err := narrowed(ctx, s, asked, payments.AcceptedOfOverview)
		if err != nil {
			return err
		}
		if _, err := h.part(FrontPayments, func() error {
			report, err := askOn(ctx, s, h.tx, q, payments.MakeOverview)
			h.Payments = &report
			return err
		}); err != nil {
			return err
		}
	}
	if !fits(asked, MonthParams) {
		return nil
	}
	q, err := narrowed(ctx, s, asked, query.AcceptedParams{Taken: MonthParams, Usual: query.MonthTo})
	if err != nil {
		return err
	}
	made, err := h.part(FrontMonth, func() error {
		month, err := askOn(ctx, s, h.tx, q, forecast.Make)
		h.Month = &month
		return err
	})
	if !made || !s.bound.Everything() || h.Month.Days != forecast.MonthOf(h.Month.Days.First) {
		return err // goals are those of the whole programme
	}
	q.Range, q.Days = query.Custom, h.Month.Days
	if _, err = h.part(FrontGoals, func() error {
		of, err := askOn(ctx, s, h.tx, q, goals.Make)
		h.Goals = of.Goals
		return err
	}); err != nil || q.Segment != "" {
		return err // no term is about a segment
	}
	_, err = h.part(FrontTiers, func() error {
		of, err := askOn(ctx, s, h.tx, q, tiers.Make)
		h.Tiers = slices.DeleteFunc(of.Tiers, func(t tiers.Tier) bool { return !t.Within() })
		return err
	})
	return err
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
	return query.Parse(kept, basis)
}
