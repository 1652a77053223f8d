package simulator

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// reporter is what testing.T and rapid.T have in common here.
type reporter interface {
	Helper()
	Errorf(string, ...any)
}

// sound fails unless the books of the account add up: nothing is negative,
// what is locked is what the open orders need, each bill follows from those
// before, and every coin that moved is in a bill and every trade in a fill.
func sound(t reporter, s *Simulator) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.trading()
	locked := map[affiliate.Coin]decimal.Decimal{}
	for _, o := range a.open {
		need := o.remaining()
		coin := o.market.Base
		if o.buys() {
			need, coin = need.Mul(o.price), o.market.Quote
		}
		locked[coin] = locked[coin].Add(need)
	}
	for coin, p := range a.spot {
		if p.available.IsNegative() || !p.locked.Equal(locked[coin]) {
			t.Errorf("%s: available %v, locked %v, orders need %v", coin, p.available, p.locked, locked[coin])
		}
	}
	runs(t, "spot", a.spotBills, a.spot)
	runs(t, "funding", a.fundingBills, a.funding)
	eachOrderOnce(t, a)
	tradesBalance(t, a)
}

// runs fails unless each bill's balance follows from the one before, and the
// last one is the balance.
func runs(t reporter, name string, bills []bill, w wallet) {
	t.Helper()
	after := map[affiliate.Coin]decimal.Decimal{}
	var before bill
	for _, b := range bills {
		after[b.coin] = after[b.coin].Add(b.delta)
		if !after[b.coin].Equal(b.after) || b.after.IsNegative() || b.id <= before.id || b.at < before.at {
			t.Errorf("%s: bill %+v after %+v, sum %v", name, b, before, after[b.coin])
		}
		before = b
	}
	for coin, p := range w {
		if !p.total().Equal(after[coin]) {
			t.Errorf("%s: %v %s, bills say %v", name, p.total(), coin, after[coin])
		}
	}
}

// eachOrderOnce fails unless every order is open or ended, and its fills are
// what it says.
func eachOrderOnce(t reporter, a *account) {
	t.Helper()
	filled := map[*order]decimal.Decimal{}
	for _, f := range a.fills {
		filled[f.order] = filled[f.order].Add(f.quantity)
	}
	open := counted(a.open)
	for _, o := range a.orders {
		listed := open[o]
		if (listed == 1) == o.closed() || listed > 1 || !filled[o].Equal(o.filled) || o.remaining().IsNegative() {
			t.Errorf("order %+v is listed %d times, fills %v", o, listed, filled[o])
		}
		if (o.status == StatusFilled) != o.remaining().IsZero() {
			t.Errorf("order %+v", o)
		}
	}
}

// tradesBalance fails unless the bills of trades are those of the fills.
func tradesBalance(t reporter, a *account) {
	t.Helper()
	moved := map[affiliate.Coin]decimal.Decimal{}
	for _, b := range a.spotBills {
		if b.business == "trade_in" || b.business == "trade_out" {
			moved[b.coin] = moved[b.coin].Sub(b.delta)
		}
	}
	for _, f := range a.fills {
		m := f.order.market
		in, out, got, gave := m.Base, m.Quote, f.quantity, f.value
		if !f.order.buys() {
			in, out, got, gave = out, in, gave, got
		}
		moved[in] = moved[in].Add(got).Sub(f.fees)
		moved[out] = moved[out].Sub(gave)
	}
	for coin, rest := range moved {
		if !rest.IsZero() {
			t.Errorf("%v %s of trades are not in both fills and bills", rest, coin)
		}
	}
}

func TestBooksOfAQuietAccount(t *testing.T) {
	d := newDesk(t, Options{Seed: 2, Days: 100, Invitees: 20, Records: 3000})
	sound(t, d.s)
}
