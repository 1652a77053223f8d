package snapshot

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Snapshot is a query over one state of the store. A report takes all its figures from that
// state.
type Snapshot struct {
	query.Query
	*store.Tx
	Now      time.Time           // of the requested state
	Accounts []affiliate.Account // covered by the query
	Known    []affiliate.Account // all known accounts that the caller may see
	// Visible are the invitees the caller may see. Members of the query are among them.
	Visible affiliate.Members
	whole   *store.Tx // the same state without a fence
	// PayoutRule is the setting of that name: a rule by which the exchange pays, or "auto" or
	// empty if it is found in the data.
	PayoutRule string
	// InactivityLimit is the setting of that name: after how many days without a trade the
	// exchange ends the tie to an invitee. 0: it never does.
	InactivityLimit int
	// BalanceTolerance is the setting of that name: up to what balance of a coin an account counts as settled.
	BalanceTolerance map[affiliate.Coin]affiliate.Number
	sheets           map[affiliate.Account]*affiliate.Sheet // of Known, as far as they are known

	// Guard catches panics in parts of reports.
	Guard    *guard.Catcher
	written  affiliate.Millis // stamp of the state
	answers  *answers.Cache
	covering map[coverQuestion][]records.CoverageDay // coverage read so far
}

// Open opens a query of a user who is bound to some invitees, or to nothing and sees everything.
// The caller closes the Snapshot.
func Open(ctx context.Context, st *store.Store, cache *answers.Cache, now time.Time, q query.Query, bound affiliate.Bound) (*Snapshot, error) {
	r, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := On(ctx, r, cache, now, q, bound)
	if err != nil {
		r.Close()
		return nil, err
	}
	return opened, nil
}

// On opens a query, as [Open] does, on a transaction that the caller closes instead of the
// Snapshot: several questions are then about the same state.
func On(ctx context.Context, r *store.Tx, cache *answers.Cache, now time.Time, q query.Query, bound affiliate.Bound) (*Snapshot, error) {
	opened := &Snapshot{Query: q, Tx: r, Now: now, Guard: new(guard.Catcher), answers: cache, covering: map[coverQuestion][]records.CoverageDay{}}
	return opened, opened.open(ctx, bound)
}

func (q *Snapshot) open(ctx context.Context, bound affiliate.Bound) (err error) {
	if q.written, err = q.LastWrite(ctx); err != nil {
		return err
	}
	if err := q.limit(ctx, bound); err != nil {
		return err
	}
	if q.Known, err = q.Tx.Accounts(ctx); err != nil {
		return err
	}
	q.Known = slices.DeleteFunc(q.Known, func(name affiliate.Account) bool { return !q.Visible.Touches(name) })
	q.Accounts = q.Known
	switch {
	case q.Account != "":
		if !slices.Contains(q.Known, q.Account) {
			return &query.ParamError{Param: "account", Value: string(q.Account), Problem: "there is no such account; the accounts are " + query.Join(q.Known)}
		}
		q.Accounts = []affiliate.Account{q.Account}
	case len(q.Known) == 0:
		q.Accounts = []affiliate.Account{""} // nothing was ever collected
	}
	if q.Coin != "" {
		if q.Coin, err = q.StoredCoins(ctx, q.Coin); err != nil {
			return err
		}
	}
	if q.Code != "" {
		if q.Code, err = q.StoredCodes(ctx, q.Code); err != nil {
			return err
		}
	}
	if !q.AsOf.IsZero() && q.AsOf.Before(q.Now) {
		q.Now = q.AsOf // what happened later was not missing then
	}
	return nil
}

// limit limits the query to the invitees to whom the caller is bound.
func (q *Snapshot) limit(ctx context.Context, bound affiliate.Bound) (err error) {
	if bound.Everything() {
		return nil
	}
	q.Visible, err = answers.Get(ctx, q.answers, answers.ReportKey{Report: "members", Bound: bound, Written: q.written}, func(ctx context.Context) (affiliate.Members, error) {
		return people.ReadBound(ctx, q.Tx, bound)
	})
	if err != nil {
		return err
	}
	q.Members = q.Members.And(q.Visible)
	q.whole, q.Tx = q.Tx, q.Tx.Fenced()
	return nil
}

// Whole returns the transaction of the question without the fence of a user who is bound to some
// invitees. It is for readings whose answer is looked up by invitees that the question covers,
// such as tags and notes, or is about no invitee at all.
func (q *Snapshot) Whole() *store.Tx {
	if q.whole != nil {
		return q.whole
	}
	return q.Tx
}

// Limited reports whether the caller sees some invitees only.
func (q *Snapshot) Limited() bool { return q.Visible.Limited() }

// Unfiltered returns the same query without its filters: over everything that the caller
// may see.
func (q *Snapshot) Unfiltered() query.Query {
	all := q.WithoutFilters()
	all.Members = q.Visible
	return all
}

// Filter returns the query as the store takes it.
func (q *Snapshot) Filter() records.CommissionFilter { return FilterOf(q.Query) }

// FilterOf returns a query as the store takes it.
func FilterOf(q query.Query) records.CommissionFilter {
	return records.CommissionFilter{
		Days: q.Days, Account: q.Account, Product: q.Product, Coin: q.Coin, UID: q.UID,
		Symbol: q.Symbol, Source: q.Source, Code: q.Code, Text: q.Text, Named: q.Names.Find(q.Text), Members: q.Members, AsOf: q.AsOfMillis(),
	}
}

// past reports whether the query is about an earlier instant than now.
func (q *Snapshot) past() bool { return !q.AsOf.IsZero() && q.Now.Equal(q.AsOf) }

// InviteeFilter returns the query as the store takes it for invitees.
func (q *Snapshot) InviteeFilter() records.InviteeFilter {
	return records.InviteeFilter{Account: q.Account, UID: q.UID, Code: q.Code, Members: q.Members, AsOf: q.AsOfMillis()}
}

// Everywhere returns the same query for all accounts.
func (q *Snapshot) Everywhere() *Snapshot {
	wide := *q
	wide.Account, wide.Accounts = "", q.Known
	return &wide
}

// OfAccount returns the same query for one account.
func (q *Snapshot) OfAccount(account affiliate.Account) *Snapshot {
	one := *q
	one.Account, one.Accounts = account, []affiliate.Account{account}
	return &one
}

// DayOf returns the reporting day of an instant, or 0 if it is unknown.
func (q *Snapshot) DayOf(at affiliate.Millis) affiliate.Day {
	if !at.Known() {
		return 0
	}
	return affiliate.DayOf(at.Time(), q.Zone)
}

// EveryInvitee returns the filter of all invitees to whom the query is limited, whatever its
// other filters.
func (q *Snapshot) EveryInvitee() records.InviteeFilter {
	return records.InviteeFilter{Members: q.Members, AsOf: q.AsOfMillis()}
}

// Part returns a value shared by several reports, cached like a finished report. It depends
// only on the state of the store, and on the members of the question.
func Part[T any](ctx context.Context, q *Snapshot, name string, asked any, make func(context.Context) (T, error)) (T, error) {
	return answers.Get(ctx, q.answers, answers.ReportKey{Report: name, Asked: asked, Members: q.Members, Written: q.written}, make)
}

// PartOfMinute is [Part] for a value that also depends on the time of the question, by the
// minute.
func PartOfMinute[T any](ctx context.Context, q *Snapshot, name string, asked any, make func(context.Context) (T, error)) (T, error) {
	var minute int64
	if !q.past() { // the time of an earlier state stays the same
		minute = q.Now.Unix() / int64(time.Minute/time.Second)
	}
	return answers.Get(ctx, q.answers, answers.ReportKey{Report: name, Asked: asked, Members: q.Members, Written: q.written, Minute: minute}, make)
}

// Read returns the sums of a filter, cached like [Part]. The caller must not change them.
func Read[F comparable, T any](ctx context.Context, q *Snapshot, name string, f F, read func(context.Context, *store.Tx, F) (T, error)) (T, error) {
	return Part(ctx, q, name, f, func(ctx context.Context) (T, error) { return read(ctx, q.Tx, f) })
}

// Lasting returns a value that depends only on a part of the store, which the write with the
// stamp changed last. It stays in the cache until that part changes. The caller must not
// change it.
func Lasting[T any](ctx context.Context, q *Snapshot, name string, asked any, changed affiliate.Millis, make func(context.Context) (T, error)) (T, error) {
	return answers.Get(ctx, q.answers, answers.ReportKey{Report: name, Asked: asked, Members: q.Members, Written: changed, Lasting: true}, make)
}

// OfDays returns a value about the commissions of a filter, cached like [Part]. If the range
// reaches the newest stored day, it is joined from two: one of the settled days, which is
// lasting, and one of the open days, which nearly every write changes, see
// [sums.Reading.Split]. Otherwise it is lasting itself.
//
// join must not change its arguments. The caller must not change the value.
func OfDays[P, T any](ctx context.Context, q *Snapshot, name string, f records.CommissionFilter, by sums.Reading[P], join func(parts ...P) T) (T, error) {
	return ofDays(ctx, q, name, f, by, joining(q, by, join), Part)
}

// OfDaysOnce is OfDays for a value that only one report uses: of two parts, only the lasting
// one is cached.
func OfDaysOnce[P, T any](ctx context.Context, q *Snapshot, name string, f records.CommissionFilter, by sums.Reading[P], join func(parts ...P) T) (T, error) {
	return ofDays(ctx, q, name, f, by, joining(q, by, join), func(ctx context.Context, _ *Snapshot, _ string, _ any, make func(context.Context) (T, error)) (T, error) {
		return make(ctx)
	})
}

// DaysAfter is [OfDays] for a value of which later days are no part of their own, but continue
// that of the days before. after returns the continued value, and does not change the one before.
func DaysAfter[P any](ctx context.Context, q *Snapshot, name string, f records.CommissionFilter, by sums.Reading[P],
	after func(ctx context.Context, before P, open records.CommissionFilter) (P, error)) (P, error) {
	return ofDays(ctx, q, name, f, by, func(ctx context.Context, settled P, open *records.CommissionFilter) (P, error) {
		if open == nil {
			return settled, nil
		}
		return after(ctx, settled, *open)
	}, Part)
}

// whole makes a value of that of the settled days, or of all days if open is nil.
type whole[P, T any] func(ctx context.Context, settled P, open *records.CommissionFilter) (T, error)

func joining[P, T any](q *Snapshot, by sums.Reading[P], join func(parts ...P) T) whole[P, T] {
	return func(ctx context.Context, settled P, open *records.CommissionFilter) (value T, err error) {
		if open == nil {
			return join(settled), nil
		}
		now, err := by.Read(ctx, q.Tx, *open)
		if err != nil {
			return value, err
		}
		return join(settled, now), nil
	}
}

func ofDays[P, T any](ctx context.Context, q *Snapshot, name string, f records.CommissionFilter, by sums.Reading[P], made whole[P, T],
	cached func(context.Context, *Snapshot, string, any, func(context.Context) (T, error)) (T, error)) (value T, err error) {
	all := func(ctx context.Context) (value T, err error) {
		read, err := by.Read(ctx, q.Tx, f)
		if err != nil {
			return value, err
		}
		return made(ctx, read, nil)
	}
	changed, ok, err := by.LastChange(ctx, q.Tx, f)
	if err != nil {
		return value, err
	}
	if !ok {
		return cached(ctx, q, name, f, all)
	}
	days, open, err := by.Split(ctx, q.Tx, f.Days)
	if err != nil {
		return value, err
	}
	if days.Len() == 0 || open.Len() == 0 {
		return Lasting(ctx, q, name, f, changed, all)
	}
	return cached(ctx, q, name, f, func(ctx context.Context) (value T, err error) {
		settled, opened := f, f
		settled.Days, opened.Days = days, open
		if changed, _, err = by.LastChange(ctx, q.Tx, settled); err != nil {
			return value, err
		}
		before, err := Lasting(ctx, q, "settled "+name, settled, changed, func(ctx context.Context) (P, error) { return by.Read(ctx, q.Tx, settled) })
		if err != nil {
			return value, err
		}
		return made(ctx, before, &opened)
	})
}

// InUTC returns the question about UTC days. All time then begins and ends with UTC days, too.
func (q *Snapshot) InUTC(ctx context.Context) (*Snapshot, error) {
	utc := *q
	utc.Zone = time.UTC
	if q.AsOf.IsZero() {
		utc.Today = affiliate.DayOf(q.Now, time.UTC)
	}
	if q.Range == query.AllTime {
		first, err := sums.FirstDayIn(ctx, q.Tx, time.UTC, utc.Today)
		if err != nil {
			return nil, err
		}
		utc.Days = affiliate.Days{First: first, Last: utc.Today}
	}
	return &utc, nil
}

// Options are the values that the filters offer, as far as they occur.
type Options struct {
	Accounts []affiliate.Account
	Coins    []affiliate.Coin
	Codes    []string
	Segments []string // names
	Unknown  []string // values in the query that are not stored, one sentence each
}

// AllDays are all days for which data can be stored.
var AllDays = affiliate.Days{First: query.Earliest, Last: query.Latest}
