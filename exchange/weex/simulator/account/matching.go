package account

import (
	"github.com/shopspring/decimal"

	"rebatedesk/exchange/weex/simulator/seeded"
)

// SpotFill is the execution of a part of an order.
type SpotFill struct {
	ID                     int64
	Order                  *SpotOrder
	At                     int64
	Price, Quantity, Value decimal.Decimal
	Fees                   decimal.Decimal // in the coin received
}

// nextDue returns the open order whose next part is filled first, provided that this is not
// later than now.
func (a *SpotAccount) nextDue(now int64) *SpotOrder {
	var first *SpotOrder
	for _, o := range a.Open {
		if o.due == 0 {
			at, ok := o.Market.Crossing(o.scanned, now, o.Ticks, o.Buys())
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

// fillPart fills the next part of a resting order, at its own price. The next part follows
// some seconds later, if the price is still there.
func (a *SpotAccount) fillPart(o *SpotOrder, at int64) {
	quantity := o.Remaining()
	if o.parts > 1 {
		if some := quantity.Div(decimal.NewFromInt(o.parts)).Truncate(o.Market.SizeDecimals); some.IsPositive() {
			quantity = some
		}
	}
	o.parts--
	o.due, o.scanned = 0, at+1000+int64(seeded.Mix(uint64(o.ID), uint64(at))%20_000)
	a.execute(o, at, part{o.Ticks, quantity}, o.Market.MakerRate)
}

// execute exchanges the coins of one part and writes the fill and both bills. The fee is
// taken from the amount received.
func (a *SpotAccount) execute(o *SpotOrder, at int64, p part, rate decimal.Decimal) {
	m := o.Market
	f := SpotFill{ID: a.newID(), Order: o, At: at, Price: m.Decimal(p.ticks), Quantity: p.quantity}
	f.Value = f.Price.Mul(f.Quantity)
	out := BookedBill{Coin: m.Base, Delta: f.Quantity.Neg()}
	in := BookedBill{Coin: m.Quote, Delta: f.Value}
	if o.Buys() {
		out = BookedBill{Coin: m.Quote, Delta: f.Value.Neg()}
		in = BookedBill{Coin: m.Base, Delta: f.Quantity}
	}
	f.Fees = in.Delta.Mul(rate)
	in.Delta, in.Fees = in.Delta.Sub(f.Fees), f.Fees
	out.Business, in.Business = "trade_out", "trade_in"

	a.free(o, out.Delta.Neg())
	for _, b := range []BookedBill{out, in} {
		b.At, b.Size, b.Value = at, f.Quantity, f.Value
		a.book(&a.SpotBills, a.Spot, b)
	}
	a.Fills = append(a.Fills, f)
	o.note(&f)
	if o.Kind == TypeLimit && o.Buys() { // a better price needs less than was locked
		a.free(o, o.reserved.Sub(o.Price.Mul(o.Remaining())))
	}
	if o.Status == StatusFilled {
		a.end(o)
	}
}

// free releases a part of the amount that an order has locked.
func (a *SpotAccount) free(o *SpotOrder, amount decimal.Decimal) {
	o.reserved = o.reserved.Sub(amount)
	a.purse(o).release(amount)
}

// note records a fill in its order.
func (o *SpotOrder) note(f *SpotFill) {
	if o.Filled.IsZero() {
		o.Highest, o.Lowest = f.Price, f.Price
	}
	o.Latest, o.Highest, o.Lowest = f.Price, decimal.Max(o.Highest, f.Price), decimal.Min(o.Lowest, f.Price)
	o.Filled, o.Value = o.Filled.Add(f.Quantity), o.Value.Add(f.Value)
	o.Updated, o.Status = f.At, StatusPartial
	if !o.Remaining().IsPositive() {
		o.Status = StatusFilled
	}
}
