package reports

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Service answers queries from a store.
type Service struct {
	store   *store.Store
	now     func() time.Time
	answers *answers
}

// New makes a service; a nil now is time.Now.
func New(st *store.Store, now func() time.Time) *Service {
	if now == nil {
		now = time.Now
	}
	return &Service{store: st, now: now, answers: newAnswers()}
}

// Basis is what query strings are read against at this moment. The caller adds
// the columns its report can be sorted by.
func (s *Service) Basis(ctx context.Context) (Basis, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return Basis{}, err
	}
	defer r.Close()
	now := s.now()
	first, err := r.FirstDay(ctx, affiliate.DayOf(now, s.store.Zone()))
	return Basis{Now: now, Zone: s.store.Zone(), First: first}, err
}

// question is a query at work: what it asks, and the one state of the store
// that all of its answer is taken from.
type question struct {
	Query
	*store.Tx
	now      time.Time           // of the state that is asked for
	accounts []affiliate.Account // that the query is about
	known    []affiliate.Account // all there are
	written  affiliate.Millis    // stamp of the state
	answers  *answers
	covering map[coverQuestion][]store.CoverageDay // what was read of coverage so far
}

// ask opens a question. The caller closes it.
func (s *Service) ask(ctx context.Context, q Query) (*question, error) {
	return openQuestion(ctx, s.store, s.answers, s.now(), q)
}

// openQuestion opens the question of a query. The caller closes it.
func openQuestion(ctx context.Context, st *store.Store, cache *answers, now time.Time, q Query) (*question, error) {
	r, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	known, err := r.Accounts(ctx)
	if err == nil && q.Account != "" && !slices.Contains(known, q.Account) {
		err = &ParamError{"account", string(q.Account), "there is no such account; the accounts are " + join(known)}
	}
	if err == nil && q.Coin != "" {
		q.Coin, err = storedCoins(ctx, r, q.Coin)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	written, err := r.LastWrite(ctx)
	if err != nil {
		r.Close()
		return nil, err
	}
	accounts := known
	switch {
	case q.Account != "":
		accounts = []affiliate.Account{q.Account}
	case len(known) == 0:
		accounts = []affiliate.Account{""} // nothing was ever collected, for nobody
	}
	if !q.AsOf.IsZero() && q.AsOf.Before(now) {
		now = q.AsOf // what happened later was not missing then
	}
	return &question{Query: q, Tx: r, now: now, accounts: accounts, known: known, written: written, answers: cache,
		covering: map[coverQuestion][]store.CoverageDay{}}, nil
}

// filter is the question as the store takes it.
func (q *question) filter() store.CommissionFilter { return filterOf(q.Query) }

// filterOf is a query as the store takes it.
func filterOf(q Query) store.CommissionFilter {
	return store.CommissionFilter{
		Days: q.Days, Account: q.Account, Product: q.Product, Coin: q.Coin, UID: q.UID,
		Symbol: q.Symbol, Source: q.Source, Code: q.Code, Text: q.Text, AsOf: q.asOfMillis(),
	}
}

// past reports whether the question is about an earlier instant than now.
func (q *question) past() bool { return !q.AsOf.IsZero() && q.now.Equal(q.AsOf) }

func (q *question) inviteeFilter() store.InviteeFilter {
	return store.InviteeFilter{Account: q.Account, UID: q.UID, Code: q.Code, AsOf: q.asOfMillis()}
}

// options are the values that the filters offer.
func (q *question) options(ctx context.Context) (Options, error) {
	coins, err := q.Coins(ctx)
	if err != nil {
		return Options{}, err
	}
	codes, err := q.Codes(ctx)
	if err != nil {
		return Options{}, err
	}
	o := Options{Accounts: q.known, Coins: coins, Codes: codes}
	o.Unknown, err = q.unknown(ctx, o)
	return o, err
}

// unknownCode counts the records that a query for an invite code has to leave
// out because nobody knows whose they are.
func (q *question) unknownCode(ctx context.Context) (int64, error) {
	if q.Code == "" {
		return 0, nil
	}
	f := q.filter()
	f.Code = ""
	return q.UnknownCodes(ctx, f)
}

// empty tells why there are no records, asking once more without filters when
// that may be the reason.
func (q *question) empty(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	if q.Filtered() {
		rows, err := q.DaySums(ctx, filterOf(q.WithoutFilters()))
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(rows) > 0 {
			return EmptyFiltered, nil
		}
	}
	return q.nothing(ctx, coverage)
}

// nothing tells why there are no records where no filter is the reason.
func (q *question) nothing(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	first, err := q.FirstDay(ctx, q.Today)
	switch {
	case err != nil:
		return "", err
	case q.Days.First > q.Today:
		return EmptyFuture, nil
	case coverage.Complete():
		return EmptyTruly, nil
	case first < q.Today && q.Days.Last < first: // else nothing is known at all
		return EmptyBefore, nil
	}
	for _, gap := range coverage.Gaps {
		if gap.Reason != "" {
			return EmptyFailed, nil
		}
	}
	return q.unread(), nil
}

// unread is why nothing is known of days that are not read: no collection mends
// it where the question is about an earlier instant.
func (q *question) unread() EmptyKind {
	if q.past() {
		return EmptyThen
	}
	return EmptyNotCollected
}
