package simulator

import (
	"github.com/shopspring/decimal"

	"rebatedesk/exchange/simulator/seeded"
)

// fill is an execution of a part of an order.
type fill struct {
	id                     int64
	order                  *order
	at                     int64
	price, quantity, value decimal.Decimal
	fees                   decimal.Decimal // in the coin that was received
}

// nextDue is the open order whose next part is filled first, none of them
// later than now.
func (a *account) nextDue(now int64) *order {
	var first *order
	for _, o := range a.open {
		if o.due == 0 {
			at, ok := o.market.Crossing(o.scanned, now, o.ticks, o.buys())
			if !ok {
				o.scanned = max(o.scanned, now+1)
				continue
			}
			o.due = at
		}
		if first == nil || o.due < first.due {
			first = o
		}
	}
	return first
}

// fillPart fills the next part of a resting order, at its own price. The part
// after it follows some seconds later, if the price is still there.
func (a *account) fillPart(o *order, at int64) {
	quantity := o.remaining()
	if o.parts > 1 {
		if some := quantity.Div(decimal.NewFromInt(o.parts)).Truncate(o.market.SizeDecimals); some.IsPositive() {
			quantity = some
		}
	}
	o.parts--
	o.due, o.scanned = 0, at+1000+int64(seeded.Mix(uint64(o.id), uint64(at))%20_000)
	a.execute(o, at, part{o.ticks, quantity}, o.market.MakerRate)
}

// execute exchanges the coins of one part and writes the fill and both bills.
// The fee is taken from what is received.
func (a *account) execute(o *order, at int64, p part, rate decimal.Decimal) {
	m := o.market
	f := fill{id: a.newID(), order: o, at: at, price: m.Decimal(p.ticks), quantity: p.quantity}
	f.value = f.price.Mul(f.quantity)
	out := bill{coin: m.Base, delta: f.quantity.Neg()}
	in := bill{coin: m.Quote, delta: f.value}
	if o.buys() {
		out = bill{coin: m.Quote, delta: f.value.Neg()}
		in = bill{coin: m.Base, delta: f.quantity}
	}
	f.fees = in.delta.Mul(rate)
	in.delta, in.fees = in.delta.Sub(f.fees), f.fees
	out.business, in.business = "trade_out", "trade_in"

	a.free(o, out.delta.Neg())
	for _, b := range []bill{out, in} {
		b.at, b.size, b.value = at, f.quantity, f.value
		a.book(&a.spotBills, a.spot, b)
	}
	a.fills = append(a.fills, f)
	o.note(&f)
	if o.kind == typeLimit && o.buys() { // a better price needs less than was locked
		a.free(o, o.reserved.Sub(o.price.Mul(o.remaining())))
	}
	if o.status == StatusFilled {
		a.end(o)
	}
}

// free gives back some of what an order has locked.
func (a *account) free(o *order, amount decimal.Decimal) {
	o.reserved = o.reserved.Sub(amount)
	a.purse(o).release(amount)
}

// note enters a fill in its order.
func (o *order) note(f *fill) {
	if o.filled.IsZero() {
		o.highest, o.lowest = f.price, f.price
	}
	o.latest, o.highest, o.lowest = f.price, decimal.Max(o.highest, f.price), decimal.Min(o.lowest, f.price)
	o.filled, o.value = o.filled.Add(f.quantity), o.value.Add(f.value)
	o.updated, o.status = f.at, StatusPartial
	if !o.remaining().IsPositive() {
		o.status = StatusFilled
	}
}
