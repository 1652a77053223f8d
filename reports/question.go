package reports

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

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
	covering map[coverQuestion][]records.CoverageDay // what was read of coverage so far
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
		covering: map[coverQuestion][]records.CoverageDay{}}, nil
}

// filter is the question as the store takes it.
func (q *question) filter() records.CommissionFilter { return filterOf(q.Query) }

// filterOf is a query as the store takes it.
func filterOf(q Query) records.CommissionFilter {
	return records.CommissionFilter{
		Days: q.Days, Account: q.Account, Product: q.Product, Coin: q.Coin, UID: q.UID,
		Symbol: q.Symbol, Source: q.Source, Code: q.Code, Text: q.Text, AsOf: q.asOfMillis(),
	}
}

// past reports whether the question is about an earlier instant than now.
func (q *question) past() bool { return !q.AsOf.IsZero() && q.now.Equal(q.AsOf) }

func (q *question) inviteeFilter() records.InviteeFilter {
	return records.InviteeFilter{Account: q.Account, UID: q.UID, Code: q.Code, AsOf: q.asOfMillis()}
}

// everywhere is the question about all accounts.
func (q *question) everywhere() *question {
	wide := *q
	wide.Account, wide.accounts = "", q.known
	return &wide
}

// of is the question about one account.
func (q *question) of(account affiliate.Account) *question {
	one := *q
	one.Account, one.accounts = account, []affiliate.Account{account}
	return &one
}

// dayOf is the reporting day of an instant; 0 where it is unknown.
func (q *question) dayOf(at affiliate.Millis) affiliate.Day {
	if !at.Known() {
		return 0
	}
	return affiliate.DayOf(at.Time(), q.Zone)
}

// part gives a value that several reports are made of, like [answer]. It depends
// on the state of the store alone.
func part[T any](ctx context.Context, q *question, name string, asked any, make func(context.Context) (T, error)) (T, error) {
	return answerOf(ctx, q.answers, answerKey{report: name, asked: asked, written: q.written}, make)
}

// Options are the values that the filters offer, as far as they occur.
type Options struct {
	Accounts []affiliate.Account
	Coins    []affiliate.Coin
	Codes    []string
	Unknown  []string // what the query names and is nowhere stored, a sentence each
}

// allDays are all that can be stored about.
var allDays = affiliate.Days{First: earliest, Last: latest}
