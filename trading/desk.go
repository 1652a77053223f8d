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
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
)

// Mode is what the desk does with orders.
type Mode string

// The modes.
const (
	Off  Mode = "off"     // nothing
	Dry  Mode = "dry-run" // everything but sending
	Live Mode = "live"
)

// Venue is how an account is reached.
type Venue struct {
	Reader *exchange.Client // reads rules, prices and open orders
	Sender *exchange.Client // has the trading key; nil: the account cannot send
}

// Options are what a desk works with.
type Options struct {
	Store    *store.Store                          // with a key for its audit log
	Accounts func(affiliate.Account) (Venue, bool) // false: there is no such account
	Mode     Mode
	Caps     Caps
	Pairs    []string // that may be traded; empty: all
	KillFile string   // while it exists nothing is sent; empty: there is none

	Patience time.Duration    // how long a call may take, its turn included; 0 is 15 s
	Now      func() time.Time // the local clock; nil is time.Now
	Log      *slog.Logger     // nil: nothing is logged
}

// patience is the usual [Options].Patience. An order waits for its turn without
// a limit of its own, and one that goes a minute later is not the one that was
// reviewed.
const patience = 15 * time.Second

// Desk sends orders. It is safe for concurrent use.
type Desk struct {
	o     Options
	forms once // by form: preparing
	once  once // by intent: sending

	mu        sync.Mutex
	unwritten []*unwritten
}

// Open makes a desk. What a former process left on its way is unknown from
// here on. Two processes that send must not share a database.
func Open(ctx context.Context, o Options) (*Desk, error) {
	o.Patience = cmp.Or(o.Patience, patience)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{o: o}
	unknown, err := orders.SweepIntents(ctx, o.Store, audit.Line{Via: "server"})
	if err != nil {
		return nil, fmt.Errorf("opening the trading desk: %w", err)
	}
	if unknown > 0 {
		o.Log.Warn("orders were on their way when the program ended: what became of them is unknown", "orders", unknown)
	}
	return d, nil
}

// Mode is what the desk does with orders.
func (d *Desk) Mode() Mode { return d.o.Mode }

// Caps are the limits of what orders are worth.
func (d *Desk) Caps() Caps { return d.o.Caps }

// Requester is who does something, for the audit log.
type Requester struct{ Name, Via, Address string }

// line begins a line of the audit log.
func (a Requester) line() audit.Line {
	return audit.Line{Actor: a.Name, Via: a.Via, Address: a.Address}
}

// ErrNoIntent is returned for an ID that no intent has.
var ErrNoIntent = orders.ErrNoIntent

// IntentQuery narrows a list of intents. Empty fields do not narrow.
type IntentQuery = orders.IntentQuery

// Intent reads one; [ErrNoIntent] where there is none.
func (d *Desk) Intent(ctx context.Context, id string) (Intent, error) {
	return read(ctx, d.o.Store, func(r *store.Tx) (Intent, error) { return orders.ReadIntent(ctx, r, id) })
}

// Intents lists intents, newest first.
func (d *Desk) Intents(ctx context.Context, q IntentQuery) ([]Intent, error) {
	return read(ctx, d.o.Store, func(r *store.Tx) ([]Intent, error) { return orders.Intents(ctx, r, q) })
}

// Unknowns are the intents with an order whose outcome is unknown, or that has
// been on its way for too long to have one; newest first.
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

// countUnknown is how many orders of an intent have an unknown outcome.
func (d *Desk) countUnknown(in Intent) (n int) {
	late := in.Sent < affiliate.MillisOf(d.o.Now().Add(-d.o.Patience-overdue))
	for _, o := range in.Orders {
		if o.State == IntentUnknown || o.State == IntentSending && late {
			n++
		}
	}
	return n
}

// read asks one state of the database.
func read[T any](ctx context.Context, st *store.Store, ask func(*store.Tx) (T, error)) (answer T, err error) {
	r, err := st.Read(ctx)
	if err != nil {
		return answer, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return ask(r)
}
