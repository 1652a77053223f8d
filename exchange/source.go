package exchange

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
)

// Source is one account at an exchange, as the collector reads it. It is safe for concurrent
// use.
type Source interface {
	// Sheet says what the exchange gives, and in which portions.
	Sheet() *Sheet
	// Now returns the exchange's time. Before the first answer it requests the time.
	Now(ctx context.Context) (time.Time, error)
	// Collect reads the records of a window, as often as needed to trust them. Besides an
	// [*Error] it returns [ErrTooLong] if the window has to be split, or a [*TiedError].
	Collect(ctx context.Context, w Window) (Records, error)
	// Usage returns counts of what the source has sent so far.
	Usage() Usage
	// Budget returns a snapshot of the budget, which sources may share.
	Budget() BudgetState
}

// Client is a source that was made of the settings of an account.
type Client interface {
	Source
	// ServerTime requests the exchange's time in UTC, exact to the millisecond. It needs no key.
	ServerTime(ctx context.Context) (time.Time, error)
	// TestKey makes the cheapest call of commissions, which shows whether the key may read them.
	TestKey(ctx context.Context) error
	// Rights are calls that show what the key may read, the cheapest of each kind, commissions
	// first. now is the exchange's time.
	Rights(now time.Time) []Right
	// Host is the host of the exchange, without a port.
	Host() string
	// Close closes idle connections. The client may still be used.
	Close()
}

// Right is what a key may be allowed to read.
type Right struct {
	Records    string                      // "commissions", in a manager's words
	Permission string                      // what the key lacks without it: "to read affiliate data"
	Needed     bool                        // without it nothing can be collected
	Call       func(context.Context) error // fails with class permission if the key lacks it
}

// Market gives the prices of coins at an exchange. It is safe for concurrent use.
type Market interface {
	Now(ctx context.Context) (time.Time, error)
	// Prices requests the last prices of coins in another coin. A coin that the exchange does
	// not trade for it is left out.
	Prices(ctx context.Context, coins []affiliate.Coin, quote affiliate.Coin) (Page[Price], error)
}

// Price is the last price of a coin, which may be unknown.
type Price struct {
	Coin   affiliate.Coin
	Symbol string // the exchange's name of the pair
	Last   affiliate.Number
	At     affiliate.Millis // by the exchange's clock
}

// Window is what [Source.Collect] reads: whole UTC days of one stream, up to now.
type Window struct {
	Stream affiliate.Stream // with an empty product: of all products
	Days   affiliate.Days
	Now    time.Time // by the exchange's clock

	// Most is how many records are worth reading at once. A window of several days that has
	// more gives [ErrTooLong]; a single day has no limit, because it cannot be split.
	Most int

	Calls Calls
}

// Calls takes part in the calls of a reading. Each function may be nil.
type Calls struct {
	Prepare  func(context.Context) context.Context // makes the context of the next call
	Answered func(error)                           // is told how a call ended
	Restart  func()                                // the reading begins anew: what was read is dropped
}

// Context returns the context of the next call.
func (c Calls) Context(ctx context.Context) context.Context {
	if c.Prepare == nil {
		return ctx
	}
	return c.Prepare(ctx)
}

// Tell says how a call ended.
func (c Calls) Tell(err error) {
	if c.Answered != nil {
		c.Answered(err)
	}
}

// Begin says that the reading begins anew.
func (c Calls) Begin() {
	if c.Restart != nil {
		c.Restart()
	}
}

// Range returns the instants of the window, up to now.
func (w Window) Range() affiliate.Range {
	span := w.Days.Range(time.UTC)
	if span.To.After(w.Now) {
		span.To = w.Now
	}
	return span
}

// TooLong reports whether a window that can be split has more records than are worth reading
// at once.
func (w Window) TooLong(records int) bool { return w.Days.Len() > 1 && w.Most > 0 && records > w.Most }

// Pages returns how many pages of a size are worth reading at once of a window that can be split;
// otherwise 0, without a limit.
func (w Window) Pages(size int) int {
	if w.Days.Len() < 2 || w.Most <= 0 {
		return 0
	}
	return max(w.Most/size, 1)
}

// ErrTooLong means that a window must be split.
var ErrTooLong = errors.New("the window holds too many records")

// TiedError is about a list that cannot be told because of the ties of one day: the exchange
// has more equal records of an instant than one answer holds.
type TiedError struct {
	Day affiliate.Day
	Err error
}

func (e *TiedError) Error() string { return e.Err.Error() }

func (e *TiedError) Unwrap() error { return e.Err }

// Records is what was read of a window. Only the list of the window's stream is used.
type Records struct {
	Commissions   Reading[affiliate.Commission]
	Invitees      Reading[affiliate.Invitee]
	SubAffiliates Reading[affiliate.SubAffiliateDay]
	Bills         Reading[affiliate.Bill]
	Transfers     Reading[affiliate.Transfer]

	// Totals are of a stream of commissions whose grain is a span. What was read of them counts, even if
	// the reading breaks off.
	Totals Reading[affiliate.Total]
}

// Reading is what was read of a list.
type Reading[T any] struct {
	Records     []T
	Quarantined []affiliate.Quarantined[T] // records that could not be read
	Spared      []affiliate.Quarantined[T] // of Records: fields that no figure needs, left out since they could not be read
}

// Len returns how many records were read, with those that could not be read.
func (r *Reading[T]) Len() int { return len(r.Records) + len(r.Quarantined) }

// Add adds the records of a page.
func (r *Reading[T]) Add(got Page[T]) {
	r.Records = append(r.Records, got.Records...)
	r.Quarantined = append(r.Quarantined, got.Quarantined...)
	r.Spared = append(r.Spared, got.Spared...)
}
