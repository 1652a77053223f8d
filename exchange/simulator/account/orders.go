package account

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
	SideBuy, SideSell     = "buy", "sell"
	TypeLimit, TypeMarket = "limit", "market"

	ForceNormal   = "normal"
	ForcePostOnly = "postOnly"
	ForceFOK      = "fok"
	ForceIOC      = "ioc"
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

// SpotOrder is a spot order.
type SpotOrder struct {
	ID       int64
	ClientID string
	Market   *market.SpotPair
	Side     string
	Kind     string
	Force    string
	Ticks    int64           // the limit price; 0 for a market order
	Price    decimal.Decimal // the same
	Quantity decimal.Decimal

	Filled, Value           decimal.Decimal
	Latest, Highest, Lowest decimal.Decimal
	reserved                decimal.Decimal // still locked for it
	Status                  string
	Created, Updated        int64

	parts   int64 // in how many more it is filled while it rests
	scanned int64 // the price has not reached it before this instant
	due     int64 // when its next part is filled; 0 is unknown
}

// Buys reports whether the order buys base coins.
func (o *SpotOrder) Buys() bool { return o.Side == SideBuy }

// Remaining is the quantity that is not filled.
func (o *SpotOrder) Remaining() decimal.Decimal { return o.Quantity.Sub(o.Filled) }

// Closed reports whether the order is filled or cancelled.
func (o *SpotOrder) Closed() bool { return o.Status == StatusFilled || o.Status == StatusCancelled }

// purse is where the order takes from: quote coins to buy, base coins to sell.
func (a *SpotAccount) purse(o *SpotOrder) *purse {
	if o.Buys() {
		return a.Spot.of(o.Market.Quote)
	}
	return a.Spot.of(o.Market.Base)
}

// part is a piece of an order that finds its counterpart at one price.
type part struct {
	ticks    int64
	quantity decimal.Decimal
}

// matches are what the order book has for an order at once: each tick away from
// the market offers the same depth again. A market order takes as many as it
// needs, a limit order those within its price.
func (o *SpotOrder) matches(at int64) []part {
	var all []part
	m := o.Market
	step := int64(1)
	if !o.Buys() {
		step = -1
	}
	depth := m.Depth(at)
	rest := o.Quantity
	for ticks := m.At(at); rest.IsPositive() && (o.Kind == TypeMarket || o.within(ticks)); ticks = max(1, ticks+step) {
		p := part{ticks, decimal.Min(rest, depth)}
		all, rest = append(all, p), rest.Sub(p.quantity)
		if ticks == 1 && step < 0 {
			all[len(all)-1].quantity, rest = p.quantity.Add(rest), decimal.Zero // there is no lower price
		}
	}
	return all
}

// within reports whether a price is good enough for a limit order.
func (o *SpotOrder) within(ticks int64) bool {
	if o.Buys() {
		return ticks <= o.Ticks
	}
	return ticks >= o.Ticks
}

// Accept takes an order that has passed all checks: it locks what the order
// needs, fills what can be filled at once, and lets the rest wait or go,
// as its execution type says.
func (a *SpotAccount) Accept(o *SpotOrder) error {
	at := a.clock
	parts := o.matches(at)
	o.reserved = o.needs(parts)
	if !a.purse(o).lock(o.reserved) {
		return BrokenRule("insufficient balance")
	}
	o.ID, o.Created, o.Updated, o.Status = a.newID(), at, at, StatusNew
	a.Orders, a.Open = append(a.Orders, o), append(a.Open, o)
	a.byID[o.ID], a.byClient[o.ClientID] = o, o
	switch {
	case o.Force == ForcePostOnly && len(parts) > 0, o.Force == ForceFOK && amount(parts).LessThan(o.Quantity):
		a.Cancel(o)
		return nil
	}
	for _, p := range parts {
		a.execute(o, at, p, o.Market.TakerRate)
	}
	if o.Force == ForceIOC && !o.Closed() {
		a.Cancel(o)
	}
	o.parts = 1 + int64(seeded.Mix(o.Market.Key, uint64(o.ID))%3)
	o.scanned = at + 1
	return nil
}

// needs is what an order has to lock.
func (o *SpotOrder) needs(parts []part) decimal.Decimal {
	switch {
	case !o.Buys():
		return o.Quantity
	case o.Kind == TypeLimit:
		return o.Price.Mul(o.Quantity)
	}
	sum := decimal.Zero
	for _, p := range parts {
		sum = sum.Add(o.Market.Decimal(p.ticks).Mul(p.quantity))
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

// Cancel ends an open order and releases its locked amount.
func (a *SpotAccount) Cancel(o *SpotOrder) {
	o.Status, o.Updated = StatusCancelled, a.clock
	a.end(o)
}

// end takes an order out of the book.
func (a *SpotAccount) end(o *SpotOrder) {
	a.purse(o).release(o.reserved)
	o.reserved = decimal.Zero
	i := slices.Index(a.Open, o)
	a.Open = slices.Delete(a.Open, i, i+1)
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

// PlacedOrders copies all orders, oldest first.
func (a *SpotAccount) PlacedOrders() []PlacedOrder {
	all := make([]PlacedOrder, len(a.Orders))
	for i, o := range a.Orders {
		all[i] = PlacedOrder{
			ID: strconv.FormatInt(o.ID, 10), ClientOrderID: o.ClientID,
			Symbol: o.Market.Symbol, Side: o.Side, Type: o.Kind, Force: o.Force,
			Quantity: NumberOf(o.Quantity), Filled: NumberOf(o.Filled), Status: o.Status, Created: affiliate.Millis(o.Created),
		}
		if o.Kind == TypeLimit {
			all[i].Price = NumberOf(o.Price)
		}
	}
	return all
}

// Receive counts a request to place an order, whatever becomes of it.
func (a *SpotAccount) Receive(id string) {
	if id != "" {
		a.received[id]++
	}
}

// ErrPair is the error of an order on a disabled pair.
var ErrPair = errors.New("the trading pair is not available")

// BrokenRule is the error of an order that breaks a rule of trading.
type BrokenRule string

// Error is the rule.
func (r BrokenRule) Error() string { return string(r) }

// Check holds an order against the rules of its market and the orders before.
func (a *SpotAccount) Check(o *SpotOrder) error {
	m := o.Market
	most := m.Most
	if o.Kind == TypeMarket {
		most = m.MarketMost
	}
	switch {
	case m.Disabled:
		return ErrPair
	case !o.Price.Equal(m.Decimal(o.Ticks)):
		return BrokenRule("price is not a multiple of the tick size")
	case !o.Quantity.Truncate(m.SizeDecimals).Equal(o.Quantity):
		return BrokenRule("quantity is not a multiple of the step size")
	case o.Quantity.LessThan(m.Least):
		return BrokenRule("quantity is below the minimum trade amount")
	case o.Quantity.GreaterThan(most):
		return BrokenRule("quantity is above the maximum trade amount")
	case o.Kind == TypeLimit && o.tooFar(a.clock):
		return BrokenRule("price is beyond the limit price ratio")
	case a.byClient[o.ClientID] != nil:
		return BrokenRule("clientOrderId has been used before")
	}
	return nil
}

// tooFar reports whether a limit price is further above the market, to buy, or
// below it, to sell, than the pair allows.
func (o *SpotOrder) tooFar(at int64) bool {
	m := o.Market
	ratio := decimal.RequireFromString(market.LimitRatio)
	market := m.Decimal(m.At(at))
	if o.Buys() {
		return o.Price.GreaterThan(market.Add(market.Mul(ratio)))
	}
	return o.Price.LessThan(market.Sub(market.Mul(ratio)))
}

// Find looks for an order of a market by either of its identifiers; nil where
// there is none, or where it is no longer open.
func (a *SpotAccount) Find(m *market.SpotPair, id, clientID string) *SpotOrder {
	o := a.byClient[clientID]
	if id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil
		}
		o = a.byID[n]
	}
	if o == nil || o.Market != m || o.Closed() {
		return nil
	}
	return o
}

// Execution is how often one intent of a client arrived, and had effect.
type Execution struct {
	Received int // understood as an order, whatever was answered
	Accepted int // became an order
}

// Executions count, for each identifier that a client chose, what became of it.
func (a *SpotAccount) Executions() map[string]Execution {
	all := map[string]Execution{}
	for id, n := range a.received {
		all[id] = Execution{Received: n}
	}
	accept := func(id string) {
		e := all[id]
		e.Accepted++
		all[id] = e
	}
	for _, o := range a.Orders {
		accept(o.ClientID)
	}
	for _, o := range a.triggerList {
		accept(o.ClientID)
	}
	return all
}
