package trading

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/store/orders"
)

// Findings is what the exchange shows about the unknown orders of an intent.
type Findings struct {
	Intent Intent           // its state after the look: an order that was found open is placed
	Looks  []Look           // for each of its orders that is still unknown
	At     affiliate.Millis // time of the look, by the exchange's clock
}

// Look is the evidence about an order of unknown outcome. None of it is a proof: fills
// carry no client order id, and an order can be executed after its answer was lost.
type Look struct {
	Order      int // index in the intent, from 0
	Words      string
	Candidates []Candidate // orders whose fills could belong to it
}

// Resolve looks at the exchange for the outcome of the unknown orders of an intent: an
// order that is open under its client order id was placed, and a cancellation whose order
// is no longer open is settled. For the others it returns the evidence, so that a user can
// decide. It sends nothing, and may be called any number of times.
func (d *Desk) Resolve(ctx context.Context, by Requester, id string) (Findings, error) {
	in, err := d.Intent(ctx, id)
	if err != nil || d.countUnknown(in) == 0 {
		return Findings{Intent: in, At: affiliate.MillisOf(d.o.Now())}, err
	}
	account, known := d.o.Accounts(in.Account)
	if !known || account.Reader == nil {
		return Findings{Intent: in}, fmt.Errorf("there is no account called %q any more: add it again to look", in.Account)
	}
	s := search{desk: d, in: in, client: account.Reader}
	if err := s.read(ctx); err != nil {
		return Findings{Intent: in}, fmt.Errorf("looking for what became of intent %s: %w", id, err)
	}
	if settled := s.settled(); len(settled) > 0 {
		if s.in, err = d.record(ctx, by, id, settled); err != nil {
			return Findings{Intent: in}, err
		}
	}
	return Findings{Intent: s.in, Looks: s.looks(), At: s.at}, nil
}

// search is one look at the exchange.
type search struct {
	desk   *Desk
	in     Intent
	client *weex.Client
	at     affiliate.Millis // time of the look, by the exchange's clock
	from   affiliate.Millis // earliest time at which it may have been placed, by the same clock
	open   []weex.OpenOrder
	fills  []weex.Fill
	known  map[string]bool // ids of orders that are already accounted for
}

// margin is how much earlier than its sending, by our estimate of the exchange's clock, an
// order is searched for.
const margin = time.Minute

// read requests open orders first: an order that is filled in between is then among the
// fills.
func (s *search) read(ctx context.Context) error {
	now, err := s.client.Now(ctx)
	if err != nil {
		return err
	}
	s.at = affiliate.MillisOf(now)
	if IntentKind(s.in.Kind) == Trigger {
		return nil // no endpoint lists them
	}
	for o, err := range s.client.AllOpenOrders(ctx, weex.OpenOrderQuery{Symbol: s.in.Pair}) {
		if err != nil {
			return err
		}
		s.open = append(s.open, o)
	}
	offset := now.Sub(s.desk.o.Now())
	s.from = affiliate.MillisOf(s.in.Sent.Time().Add(offset - margin))
	for v, err := range s.client.AllFills(ctx, weex.FillQuery{Symbol: s.in.Pair, From: s.from}) {
		if err != nil {
			return err
		}
		s.fills = append(s.fills, v)
	}
	return s.readKnown(ctx)
}

// knownIntents is how many intents of the pair are searched for orders that cannot be the
// missing one.
const knownIntents = 1000

func (s *search) readKnown(ctx context.Context) error {
	all, err := s.desk.Intents(ctx, orders.IntentQuery{Account: s.in.Account, Pair: s.in.Pair, Limit: knownIntents})
	s.known = map[string]bool{}
	for _, in := range all {
		for _, o := range in.Orders {
			s.known[o.OrderID] = o.Side != ""
		}
	}
	for _, o := range s.open {
		s.known[o.OrderID] = true
	}
	return err
}

// settled returns the orders that this look alone settles.
func (s *search) settled() (orders []Order) {
	for _, o := range s.in.Orders {
		if o.State != IntentUnknown || IntentKind(s.in.Kind) == Trigger {
			continue
		}
		found, open := s.find(o)
		switch {
		case o.Side != "" && open:
			o.State, o.OrderID, o.At, o.Message = IntentPlaced, found.OrderID, s.at, "It was found among the open orders by its client order id."
		case o.Side == "" && !open:
			o.State, o.At, o.Message = IntentResolved, s.at, "The order is open no longer: it was cancelled or filled."
		default:
			continue
		}
		orders = append(orders, o)
	}
	return orders
}

// find returns the open order that matches an order or a cancellation.
func (s *search) find(o Order) (weex.OpenOrder, bool) {
	for _, open := range s.open {
		named := o.ClientID != "" && string(open.ClientOrderID) == o.ClientID || o.ClientID == "" && open.OrderID == o.OrderID
		if named && (o.Side == "" || s.fits(o, open)) {
			return open, true
		}
	}
	return weex.OpenOrder{}, false
}

// fits reports whether an open order can be the one that was sent under its client order
// id. Programs choose their ids themselves, and an older order of another program may have
// the same id.
func (s *search) fits(o Order, open weex.OpenOrder) bool {
	return open.Side == weex.Side(o.Side) && open.Quantity.Cmp(o.Quantity) == 0 &&
		(!open.Created.Known() || open.Created >= s.from)
}

// looks returns the evidence about the orders that are still unknown.
func (s *search) looks() (looks []Look) {
	for _, o := range s.in.Orders {
		if o.State != IntentUnknown {
			continue
		}
		look := Look{Order: o.N}
		switch {
		case IntentKind(s.in.Kind) == Trigger:
			look.Words = "The exchange lists no trigger orders: look at its own pages."
		case o.Side == "":
			look.Words = "The order is open still: it was not cancelled so far."
		default:
			look.Candidates = s.candidates(o)
			look.Words = fmt.Sprintf("It is not among the %d open orders. %d filled orders could be it.", len(s.open), len(look.Candidates))
		}
		looks = append(looks, look)
	}
	return looks
}

// Decide settles unknown order n of an intent, counted from 0, by a user's decision:
// whether it was done, and how the user knows. An order that is not unknown, or a missing
// reason, is a *store.RuleError.
func (d *Desk) Decide(ctx context.Context, by Requester, id string, n int, done bool, why string) (Intent, error) {
	verdict := orders.VerdictNotDone
	if done {
		verdict = orders.VerdictDone
	}
	return orders.DecideIntent(ctx, d.o.Store, id, n, verdict, why, by.line())
}

// Override lifts the block of unknown order n, counted from 0. The order stays unknown and
// counts in the caps. The errors are those of Decide.
func (d *Desk) Override(ctx context.Context, by Requester, id string, n int, why string) (Intent, error) {
	return orders.OverrideIntent(ctx, d.o.Store, id, n, why, by.line())
}
