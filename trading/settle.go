package trading

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/orders"
)

// settleEvery is the default of [Options].Settle.
const settleEvery = 5 * time.Second

// unwritten holds outcomes of orders of an intent that could not be stored yet.
type unwritten struct {
	by     Requester
	id     string
	orders []Order
}

// Run settles orders that sending has left without an outcome because the database could
// not be written, until ctx ends. It sends nothing. Of the nodes that share a database one
// also settles those of dead nodes.
func (d *Desk) Run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		d.o.Store.Lead(ctx, store.TradingLease, d.o.Log, func(ctx context.Context) {
			if d.o.Store.Shared() {
				d.each(ctx, d.sweep)
			}
			<-ctx.Done()
		})
	})
	d.each(ctx, d.Settle)
}

// each settles orders in intervals until ctx ends.
func (d *Desk) each(ctx context.Context, settle func(context.Context) error) {
	ticker := time.NewTicker(d.o.Settle)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := settle(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			d.o.Log.Error("orders without an outcome cannot be settled so far", "error", err)
		}
		failing = err != nil
	}
}

// Settle stores the outcomes that could not be stored before, and marks orders as unknown
// that have been in flight for too long and that no process is sending any more.
func (d *Desk) Settle(ctx context.Context) error {
	return errors.Join(d.Flush(ctx), d.lapse(ctx))
}

// Flush stores the outcomes that could not be stored before. Otherwise they are lost when
// the process ends, and their orders become unknown.
func (d *Desk) Flush(ctx context.Context) error {
	for _, u := range d.held() {
		if _, err := orders.RecordOutcomes(ctx, d.o.Store, u.id, u.orders, u.by.line()); err != nil {
			return err
		}
		d.mu.Lock()
		d.unwritten = slices.DeleteFunc(d.unwritten, func(other *unwritten) bool { return other == u })
		d.mu.Unlock()
		d.o.Log.Info("what became of orders was written after all", "intent", u.id)
	}
	return nil
}

// hold keeps outcomes for Flush.
func (d *Desk) hold(by Requester, id string, orders []Order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unwritten = append(d.unwritten, &unwritten{by, id, orders})
}

// held returns the outcomes that wait for Flush, oldest first.
func (d *Desk) held() []*unwritten {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.unwritten)
}

// lapse marks orders as unknown that were sent long ago and have no outcome, unless this
// process is about to store one.
func (d *Desk) lapse(ctx context.Context) error {
	before := affiliate.MillisOf(d.o.Now().Add(-d.o.Patience - overdue))
	all, err := read(ctx, d.o.Store, func(r *store.Tx) ([]Intent, error) { return orders.UnsettledIntents(ctx, r) })
	if err != nil {
		return err
	}
	for _, in := range all {
		if in.Sent >= before || !onItsWay(in) || d.working(in.ID) || d.ofAnother(in) {
			continue
		}
		unknown, err := orders.LapseIntent(ctx, d.o.Store, in.ID, audit.Line{Via: "server"})
		if err != nil {
			return err
		}
		d.o.Log.Warn("orders were sent and no outcome was kept: what became of them is unknown", "intent", in.ID, "orders", unknown)
	}
	return nil
}

// ofAnother reports whether another process sends the intent; sweep settles it if that
// process is dead.
func (d *Desk) ofAnother(in Intent) bool {
	owner := d.o.Store.Owner()
	return owner != nil && in.Owner != "" && in.Owner != *owner
}

func onItsWay(in Intent) bool {
	return slices.ContainsFunc(in.Orders, func(o Order) bool { return o.State == IntentSending })
}

// working reports whether this process is sending an intent, or has outcomes of it to
// store.
func (d *Desk) working(id string) bool {
	return d.once.busy(id) || slices.ContainsFunc(d.held(), func(u *unwritten) bool { return u.id == id })
}
