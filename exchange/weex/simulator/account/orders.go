package account

import (
	"errors"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/market"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// Words of an order (4.7).
const (
	SideBuy, SideSell     = "buy", "sell"
	TypeLimit, TypeMarket = "limit", "market"

	ForceNormal   = "normal"
	ForcePostOnly = "postOnly"
	ForceFOK      = "fok"
	ForceIOC      = "ioc"
)

// States of an order. The interface document does not list their names, and a client should
// accept any. A maker-only order that would take, or an order that must be filled
// immediately and cannot be, is accepted and cancelled in the same instant.
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
	Price    decimal.Decimal // the limit price as a number
	Quantity decimal.Decimal

	Filled, Value           decimal.Decimal
	Latest, Highest, Lowest decimal.Decimal
	reserved                decimal.Decimal // still locked for it
	Status                  string
	Created, Updated        int64

	parts   int64 // number of further parts in which it is filled while it rests
	scanned int64 // ms; the price has not reached the limit before this instant
	due     int64 // ms; when its next part is filled; 0 if unknown
}

// Buys reports whether the order buys base coins.
func (o *SpotOrder) Buys() bool { return o.Side == SideBuy }

// Remaining returns the unfilled quantity.
func (o *SpotOrder) Remaining() decimal.Decimal { return o.Quantity.Sub(o.Filled) }

// Closed reports whether the order is filled or cancelled.
func (o *SpotOrder) Closed() bool { return o.Status == StatusFilled || o.Status == StatusCancelled }

// purse returns the balance the order spends from: quote coins to buy, base coins to sell.
func (a *SpotAccount) purse(o *SpotOrder) *purse {
	if o.Buys() {
		return a.Spot.of(o.Market.Quote)
	}
	return a.Spot.of(o.Market.Base)
}

// part is a piece of an order that is matched at one price.
type part struct {
	ticks    int64
	quantity decimal.Decimal
}

// matches returns what the order book offers for an order immediately: each tick away from
// the market offers the same depth again. A market order takes as many ticks as it needs, a
// limit order those within its price.
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
			all[len(all)-1].quantity, rest = p.quantity.Add(rest), decimal.Zero // no lower price exists
		}
	}
	return all
}

// within reports whether a price satisfies a limit order.
func (o *SpotOrder) within(ticks int64) bool {
	if o.Buys() {
		return ticks <= o.Ticks
	}
	return ticks >= o.Ticks
}

// Accept takes an order that has passed all checks. It locks the amount the order needs,
// fills what can be filled immediately, and lets the rest wait or lapse as its execution
// type says.
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

// needs returns the amount that an order has to lock.
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

// end removes an order from the book.
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

// PlacedOrders returns copies of all orders, oldest first.
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

// Receive counts a request to place an order, whatever its result.
func (a *SpotAccount) Receive(id string) {
	if id != "" {
		a.received[id]++
	}
}

// ErrPair is the error for an order on a disabled pair.
var ErrPair = errors.New("the trading pair is not available")

// BrokenRule is the error for an order that breaks a trading rule.
type BrokenRule string

// Error returns the rule.
func (r BrokenRule) Error() string { return string(r) }

// Check tests an order against the rules of its market and against earlier orders.
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

// tooFar reports whether a limit price is further from the market than the pair allows:
// above it for a buy order, below it for a sell order.
func (o *SpotOrder) tooFar(at int64) bool {
	m := o.Market
	ratio := decimal.RequireFromString(market.LimitRatio)
	market := m.Decimal(m.At(at))
	if o.Buys() {
		return o.Price.GreaterThan(market.Add(market.Mul(ratio)))
	}
	return o.Price.LessThan(market.Sub(market.Mul(ratio)))
}

// Find returns the order of a market with either of its identifiers. It returns nil if no
// such order exists or it is no longer open.
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

// Execution counts how often one intent of a client arrived, and how often it had effect.
type Execution struct {
	Received int // recognised as an order, whatever the answer
	Accepted int // became an order
}

// Executions returns, for each identifier chosen by a client, the counts of its requests.
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
