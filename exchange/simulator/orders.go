package simulator

import (
	"errors"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
	"rebatedesk/exchange/simulator/seeded"
)

// The words of an order (4.7).
const (
	sideBuy, sideSell     = "buy", "sell"
	typeLimit, typeMarket = "limit", "market"

	forceNormal   = "normal"
	forcePostOnly = "postOnly"
	forceFOK      = "fok"
	forceIOC      = "ioc"
)

// The states of an order. The interface document leaves their names open, and
// a client should take any. An order that may only make and would take, or
// that has to be filled at once and cannot be, is accepted and cancelled in the
// same instant.
const (
	StatusNew       = "new"
	StatusPartial   = "partial_fill"
	StatusFilled    = "full_fill"
	StatusCancelled = "cancelled"
)

// order is a spot order.
type order struct {
	id       int64
	clientID string
	market   *market.SpotPair
	side     string
	kind     string
	force    string
	ticks    int64           // the limit price; 0 for a market order
	price    decimal.Decimal // the same
	quantity decimal.Decimal

	filled, value           decimal.Decimal
	latest, highest, lowest decimal.Decimal
	reserved                decimal.Decimal // still locked for it
	status                  string
	created, updated        int64

	parts   int64 // in how many more it is filled while it rests
	scanned int64 // the price has not reached it before this instant
	due     int64 // when its next part is filled; 0 is unknown
}

func (o *order) buys() bool                 { return o.side == sideBuy }
func (o *order) remaining() decimal.Decimal { return o.quantity.Sub(o.filled) }
func (o *order) closed() bool               { return o.status == StatusFilled || o.status == StatusCancelled }

// purse is where the order takes from: quote coins to buy, base coins to sell.
func (a *account) purse(o *order) *purse {
	if o.buys() {
		return a.spot.of(o.market.Quote)
	}
	return a.spot.of(o.market.Base)
}

// part is a piece of an order that finds its counterpart at one price.
type part struct {
	ticks    int64
	quantity decimal.Decimal
}

// matches are what the order book has for an order at once: each tick away from
// the market offers the same depth again. A market order takes as many as it
// needs, a limit order those within its price.
func (o *order) matches(at int64) []part {
	var all []part
	m := o.market
	step := int64(1)
	if !o.buys() {
		step = -1
	}
	depth := m.Depth(at)
	rest := o.quantity
	for ticks := m.At(at); rest.IsPositive() && (o.kind == typeMarket || o.within(ticks)); ticks = max(1, ticks+step) {
		p := part{ticks, decimal.Min(rest, depth)}
		all, rest = append(all, p), rest.Sub(p.quantity)
		if ticks == 1 && step < 0 {
			all[len(all)-1].quantity, rest = p.quantity.Add(rest), decimal.Zero // there is no lower price
		}
	}
	return all
}

// within reports whether a price is good enough for a limit order.
func (o *order) within(ticks int64) bool {
	if o.buys() {
		return ticks <= o.ticks
	}
	return ticks >= o.ticks
}

// accept takes an order that has passed all checks: it locks what the order
// needs, fills what can be filled at once, and lets the rest wait or go,
// as its execution type says.
func (a *account) accept(o *order) error {
	at := a.clock
	parts := o.matches(at)
	o.reserved = o.needs(parts)
	if !a.purse(o).lock(o.reserved) {
		return BrokenRule("insufficient balance")
	}
	o.id, o.created, o.updated, o.status = a.newID(), at, at, StatusNew
	a.orders, a.open = append(a.orders, o), append(a.open, o)
	a.byID[o.id], a.byClient[o.clientID] = o, o
	switch {
	case o.force == forcePostOnly && len(parts) > 0, o.force == forceFOK && amount(parts).LessThan(o.quantity):
		a.cancel(o)
		return nil
	}
	for _, p := range parts {
		a.execute(o, at, p, o.market.TakerRate)
	}
	if o.force == forceIOC && !o.closed() {
		a.cancel(o)
	}
	o.parts = 1 + int64(seeded.Mix(o.market.Key, uint64(o.id))%3)
	o.scanned = at + 1
	return nil
}

// needs is what an order has to lock.
func (o *order) needs(parts []part) decimal.Decimal {
	switch {
	case !o.buys():
		return o.quantity
	case o.kind == typeLimit:
		return o.price.Mul(o.quantity)
	}
	sum := decimal.Zero
	for _, p := range parts {
		sum = sum.Add(o.market.Decimal(p.ticks).Mul(p.quantity))
	}
	return sum
}

func amount(parts []part) decimal.Decimal {
	sum := decimal.Zero
	for _, p := range parts {
		sum = sum.Add(p.quantity)
	}
	return sum
}

// cancel ends an order that is open and gives back what it has locked.
func (a *account) cancel(o *order) {
	o.status, o.updated = StatusCancelled, a.clock
	a.end(o)
}

// end takes an order out of the book.
func (a *account) end(o *order) {
	a.purse(o).release(o.reserved)
	o.reserved = decimal.Zero
	i := slices.Index(a.open, o)
	a.open = slices.Delete(a.open, i, i+1)
}

// PlacedOrder is a spot order that the exchange has accepted.
type PlacedOrder struct {
	ID, ClientOrderID         string
	Symbol, Side, Type, Force string
	Price                     affiliate.Number // unknown for a market order
	Quantity, Filled          affiliate.Number
	Status                    string
	Created                   affiliate.Millis
}

// placed copies all orders, oldest first.
func (a *account) placed() []PlacedOrder {
	all := make([]PlacedOrder, len(a.orders))
	for i, o := range a.orders {
		all[i] = PlacedOrder{
			ID: strconv.FormatInt(o.id, 10), ClientOrderID: o.clientID,
			Symbol: o.market.Symbol, Side: o.side, Type: o.kind, Force: o.force,
			Quantity: numberOf(o.quantity), Filled: numberOf(o.filled), Status: o.status, Created: affiliate.Millis(o.created),
		}
		if o.kind == typeLimit {
			all[i].Price = numberOf(o.price)
		}
	}
	return all
}

// receive counts a request to place an order, whatever becomes of it.
func (a *account) receive(id string) {
	if id != "" {
		a.received[id]++
	}
}

// ErrPair is the error of an order on a pair that nobody may trade.
var ErrPair = errors.New("the trading pair is not available")

// BrokenRule is the error of an order that breaks a rule of trading.
type BrokenRule string

// Error is the rule.
func (r BrokenRule) Error() string { return string(r) }

// check holds an order against the rules of its market and the orders before.
func (a *account) check(o *order) error {
	m := o.market
	most := m.Most
	if o.kind == typeMarket {
		most = m.MarketMost
	}
	switch {
	case m.Disabled:
		return ErrPair
	case !o.price.Equal(m.Decimal(o.ticks)):
		return BrokenRule("price is not a multiple of the tick size")
	case !o.quantity.Truncate(m.SizeDecimals).Equal(o.quantity):
		return BrokenRule("quantity is not a multiple of the step size")
	case o.quantity.LessThan(m.Least):
		return BrokenRule("quantity is below the minimum trade amount")
	case o.quantity.GreaterThan(most):
		return BrokenRule("quantity is above the maximum trade amount")
	case o.kind == typeLimit && o.tooFar(a.clock):
		return BrokenRule("price is beyond the limit price ratio")
	case a.byClient[o.clientID] != nil:
		return BrokenRule("clientOrderId has been used before")
	}
	return nil
}

// tooFar reports whether a limit price is further above the market, to buy, or
// below it, to sell, than the pair allows.
func (o *order) tooFar(at int64) bool {
	m := o.market
	ratio := decimal.RequireFromString(market.LimitRatio)
	market := m.Decimal(m.At(at))
	if o.buys() {
		return o.price.GreaterThan(market.Add(market.Mul(ratio)))
	}
	return o.price.LessThan(market.Sub(market.Mul(ratio)))
}

// find looks for an order of a market by either of its identifiers; nil where
// there is none, or where it is no longer open.
func (a *account) find(m *market.SpotPair, id, clientID string) *order {
	o := a.byClient[clientID]
	if id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil
		}
		o = a.byID[n]
	}
	if o == nil || o.market != m || o.closed() {
		return nil
	}
	return o
}

// Execution is how often one intent of a client arrived, and had effect.
type Execution struct {
	Received int // understood as an order, whatever was answered
	Accepted int // became an order
}

// executions count, for each identifier that a client chose, what became of it.
func (a *account) executions() map[string]Execution {
	all := map[string]Execution{}
	for id, n := range a.received {
		all[id] = Execution{Received: n}
	}
	accept := func(id string) {
		e := all[id]
		e.Accepted++
		all[id] = e
	}
	for _, o := range a.orders {
		accept(o.clientID)
	}
	for _, o := range a.triggerList {
		accept(o.ClientID)
	}
	return all
}
