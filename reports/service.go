package reports

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/pdf"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/sums"
)

// Service answers queries from a store.
type Service struct {
	store   *store.Store
	now     func() time.Time
	answers *answers.Cache
	payout  string          // the setting PAYOUT_RULE
	bound   affiliate.Bound // of the caller
	names   *keptNames

	// Guard catches panics in parts of pages and messages, which leave the other parts standing.
	Guard *guard.Catcher

	// Letterhead is what the first page of documents begins with. It is set before the first is
	// made; empty: documents have none.
	Letterhead pdf.Letterhead
	// InactivityLimit is the setting of that name: after how many days without a trade the
	// exchange ends the tie to an invitee. It is set before the first report; 0: it never does.
	InactivityLimit int
	// BalanceTolerance is the setting of that name: up to what balance of a coin, in either
	// direction, an account counts as settled.
	BalanceTolerance map[affiliate.Coin]affiliate.Number
	// Sheets say what each exchange gives, by its name in settings. Accounts of an exchange that is
	// not among them are taken for those whose interface the desk was written for.
	Sheets map[string]*affiliate.Sheet
}

// New returns a service; a nil now means time.Now.
func New(st *store.Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store: st, now: now, answers: answers.New(), names: new(keptNames), Guard: new(guard.Catcher)}
}

// Store returns the database, for what people write and change: [dated.Table] has the acts.
func (s *Service) Store() *store.Store { return s.store }

// For returns the service for a user who is bound to some invitees: all its figures, names and
// counts are about these, and a report that cannot be divided by invitee is
// [snapshot.ErrUndivided]. Every query on behalf of a user goes through it. A user bound to
// nothing sees everything.
func (s *Service) For(bound affiliate.Bound) *Service {
	own := *s
	own.bound = bound
	return &own
}

// SetPayoutRule sets the rule by which the exchange pays, as [payments.ParseRuleSetting]
// returns it. It must be called before the first report. Without it the rule is found in the
// data.
func (s *Service) SetPayoutRule(rule string) { s.payout = rule }

// LimitCache sets the most bytes that finished reports may take.
func (s *Service) LimitCache(bytes uint64) { s.answers.Limit(bytes) }

// CacheUsage returns the counts of the cache of finished reports.
func (s *Service) CacheUsage() answers.CacheUse { return s.answers.Use() }

// Basis returns the current context in which query strings are read. The caller adds the
// columns by which its report can be sorted.
func (s *Service) Basis(ctx context.Context) (query.Basis, error) {
	now := s.now()
	today := affiliate.DayOf(now, s.store.Zone())
	first, err := answer(ctx, s, "FirstDay", today, func(ctx context.Context) (affiliate.Day, error) {
		r, err := s.store.Read(ctx)
		if err != nil {
			return 0, err
		}
		defer r.Close()
		return sums.FirstDay(ctx, r, today)
	})
	return query.Basis{Now: now, Zone: s.store.Zone(), First: first}, err
}

// ask opens a query. The caller closes it.
func (s *Service) ask(ctx context.Context, q query.Query) (*snapshot.Snapshot, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := questionOn(ctx, s, r, q)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return asked, nil
}

// questionOn opens a query on a transaction that the caller closes, see [snapshot.On].
func questionOn(ctx context.Context, s *Service, r *store.Tx, q query.Query) (*snapshot.Snapshot, error) {
	asked, err := snapshot.On(ctx, r, s.answers, s.now(), q, s.bound)
	if err != nil {
		return nil, err
	}
	asked.PayoutRule, asked.InactivityLimit, asked.BalanceTolerance, asked.Guard = s.payout, s.InactivityLimit, s.BalanceTolerance, s.Guard
	if err := asked.UseSheets(ctx, s.Sheets); err != nil {
		return nil, err
	}
	return asked, segments.LimitTo(ctx, asked)
}

// everything returns a query about all days and invitees.
func (s *Service) everything() query.Query {
	zone := s.store.Zone()
	return query.Query{Zone: zone, Today: affiliate.DayOf(s.now(), zone)}
}
