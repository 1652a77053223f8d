package trading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
)

// Mode says what the desk does with orders.
type Mode string

// The modes of the desk.
const (
	Off  Mode = "off"     // nothing
	Dry  Mode = "dry-run" // everything except sending
	Live Mode = "live"
)

// Venue says how an account is reached.
type Venue struct {
	Reader *weex.Client // reads rules, prices and open orders
	Sender *weex.Client // has the trading key; nil: the account cannot send
}

// Options configures a desk.
type Options struct {
	Store    *store.Store                          // with a key for its audit log
	Accounts func(affiliate.Account) (Venue, bool) // false: the account does not exist
	Mode     Mode
	Caps     Caps
	Pairs    []string // pairs that may be traded; empty: all
	KillFile string   // nothing is sent while it exists; empty: no kill file

	Patience time.Duration    // maximum duration of a call, including its wait; 0 is 15 s
	Settle   time.Duration    // between two searches for orders without an outcome; 0 is 5 s
	Now      func() time.Time // the local clock; nil is time.Now
	Log      *slog.Logger     // nil: nothing is logged
}

// patience is the default of [Options].Patience. An order in the queue has no limit of its
// own, and an order sent a minute later is no longer the one that was reviewed.
const patience = 15 * time.Second

// Desk sends orders. It is safe for concurrent use.
type Desk struct {
	o     Options
	forms once // preparing, by form
	once  once // sending, by intent

	mu        sync.Mutex
	unwritten []*unwritten
	living    context.Context // of the lease of this process; nil before the first order
}

// Open opens a desk. Orders that a dead process left in flight become unknown. Two
// processes that send must not share a database in a file; those that share a database of a
// server leave each other's orders alone, see [store.Store.Live].
func Open(ctx context.Context, o Options) (*Desk, error) {
	o.Patience, o.Settle = cmp.Or(o.Patience, patience), cmp.Or(o.Settle, settleEvery)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{o: o}
	if err := d.sweep(ctx); err != nil {
		return nil, fmt.Errorf("opening the trading desk: %w", err)
	}
	return d, nil
}

// sweep marks orders as unknown that dead processes left in flight.
func (d *Desk) sweep(ctx context.Context) error {
	unknown, err := orders.SweepIntents(ctx, d.o.Store, audit.Line{Via: "server"})
	if unknown > 0 {
		d.o.Log.Warn("orders were on their way when the program ended: what became of them is unknown", "orders", unknown)
	}
	return err
}

// live returns ctx with the lease by which this process shows that it lives. Other nodes
// leave its orders alone as long as it does.
func (d *Desk) live(ctx context.Context) (context.Context, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.living == nil || d.living.Err() != nil {
		living, _, err := d.o.Store.Live(context.Background()) // until the store is closed
		if err != nil {
			return nil, fmt.Errorf("no order can be sent: %w", err)
		}
		d.living = living
	}
	return store.Under(ctx, d.living), nil
}

// Mode returns what the desk does with orders.
func (d *Desk) Mode() Mode { return d.o.Mode }

// Now returns the time by the desk's clock.
func (d *Desk) Now() time.Time { return d.o.Now() }

// Caps returns the limits of the worth of orders.
func (d *Desk) Caps() Caps { return d.o.Caps }

// Requester identifies the user of an action for the audit log.
type Requester struct{ Name, Via, Address string }

// line begins a line of the audit log.
func (a Requester) line() audit.Line {
	return audit.Line{Actor: a.Name, Via: a.Via, Address: a.Address}
}

// ErrNoIntent is returned for an ID that no intent has.
var ErrNoIntent = orders.ErrNoIntent

// IntentQuery narrows a list of intents. Empty fields do not narrow.
type IntentQuery = orders.IntentQuery

// Intent reads one intent. It returns [ErrNoIntent] if the intent does not exist.
func (d *Desk) Intent(ctx context.Context, id string) (Intent, error) {
	return read(ctx, d.o.Store, func(r *store.Tx) (Intent, error) { return orders.ReadIntent(ctx, r, id) })
}

// Intents lists intents, newest first.
func (d *Desk) Intents(ctx context.Context, q IntentQuery) ([]Intent, error) {
	return read(ctx, d.o.Store, func(r *store.Tx) ([]Intent, error) { return orders.Intents(ctx, r, q) })
}

// Unknowns returns the intents with an order of unknown outcome, or with one that has been
// in flight for too long; newest first.
func (d *Desk) Unknowns(ctx context.Context) ([]Intent, error) {
	all, err := read(ctx, d.o.Store, func(r *store.Tx) ([]Intent, error) { return orders.UnsettledIntents(ctx, r) })
	var unknown []Intent
	for _, in := range all {
		if d.countUnknown(in) > 0 {
			unknown = append(unknown, in)
		}
	}
	return unknown, err
}

// countUnknown returns how many orders of an intent have an unknown outcome.
func (d *Desk) countUnknown(in Intent) (n int) {
	late := in.Sent < affiliate.MillisOf(d.o.Now().Add(-d.o.Patience-overdue))
	for _, o := range in.Orders {
		if o.State == IntentUnknown || o.State == IntentSending && late {
			n++
		}
	}
	return n
}

// read runs ask on one state of the database.
func read[T any](ctx context.Context, st *store.Store, ask func(*store.Tx) (T, error)) (answer T, err error) {
	r, err := st.Read(ctx)
	if err != nil {
		return answer, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return ask(r)
}
