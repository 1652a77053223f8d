package trading

import (
	"context"
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/orders"
)

// Stop stops all sending at once, in every process of the database. An order that was in
// flight at that moment may still arrive: [Status].Sending counts such orders.
func (d *Desk) Stop(ctx context.Context, by Requester, why string) error {
	return orders.SetTradingSwitch(ctx, d.o.Store, true, why, by.line())
}

// Resume allows sending again. Orders that were not sent meanwhile stay unsent.
func (d *Desk) Resume(ctx context.Context, by Requester, why string) error {
	return orders.SetTradingSwitch(ctx, d.o.Store, false, why, by.line())
}

// stopped returns why nothing may be sent, or an empty string if sending is allowed. An
// error while checking stops sending.
func (d *Desk) stopped(ctx context.Context) string {
	if why := d.killFile(); why != "" {
		return why
	}
	v, err := read(ctx, d.o.Store, func(r *store.Tx) (orders.Switch, error) {
		if err := r.CheckLease(ctx); err != nil {
			return orders.Switch{}, err
		}
		return orders.ReadSwitch(ctx, r)
	})
	switch {
	case errors.Is(err, store.ErrSuperseded):
		return "This node stopped responding and lost its lease, so it sends no orders."
	case err != nil:
		d.o.Log.Error("the kill switch cannot be read", "error", err)
		return "Trading is stopped: the kill switch cannot be read."
	case v.Stopped:
		return "Trading is stopped, by " + orNobody(v.By) + ": " + v.Why
	}
	return ""
}

// Status says whether orders are sent, and summarizes what was sent.
type Status struct {
	Mode     Mode
	Switch   orders.Switch
	KillFile string                              // message if it exists; empty: it does not exist
	Sending  int                                 // orders in flight
	Unknown  int                                 // orders of unknown outcome
	Spent    map[affiliate.Coin]affiliate.Number // worth of the UTC day's orders, by quote coin
}

// Stopped reports whether sending is stopped, whatever the mode.
func (s Status) Stopped() bool { return s.Switch.Stopped || s.KillFile != "" }

// Status returns the current status of the desk.
func (d *Desk) Status(ctx context.Context) (Status, error) { return ReadStatus(ctx, d.o) }

// ReadStatus returns the status of a database in which no desk is open: Open would treat
// orders that another process is sending as lost. Of the options it needs the store, the
// mode, the kill file and the clock.
func ReadStatus(ctx context.Context, o Options) (Status, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Desk{o: o}
	s := Status{Mode: o.Mode, KillFile: d.killFile()}
	return read(ctx, o.Store, func(r *store.Tx) (Status, error) {
		var err error
		if s.Switch, err = orders.ReadSwitch(ctx, r); err != nil {
			return s, err
		}
		if s.Spent, err = orders.Spent(ctx, r, affiliate.MillisOf(o.Now().UTC().Truncate(day))); err != nil {
			return s, err
		}
		unsettled, err := orders.UnsettledIntents(ctx, r)
		for _, in := range unsettled {
			for _, order := range in.Orders {
				switch order.State {
				case IntentSending:
					s.Sending++
				case IntentUnknown:
					s.Unknown++
				}
			}
		}
		return s, err
	})
}
