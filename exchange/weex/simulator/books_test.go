package simulator

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// reporter holds the methods that testing.T and rapid.T share here.
type reporter interface {
	Helper()
	Errorf(string, ...any)
}

// sound fails unless the books of the account add up: nothing is negative, the locked
// amounts equal the needs of the open orders, each bill follows from those before, and
// every coin that moved is in a bill and every trade in a fill.
func sound(t reporter, s *Simulator) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.trading()
	locked := map[affiliate.Coin]decimal.Decimal{}
	for _, o := range a.Open {
		need := o.Remaining()
		coin := o.Market.Base
		if o.Buys() {
			need, coin = need.Mul(o.Price), o.Market.Quote
		}
		locked[coin] = locked[coin].Add(need)
	}
	for coin, p := range a.Spot {
		if p.Available.IsNegative() || !p.Locked.Equal(locked[coin]) {
			t.Errorf("%s: available %v, locked %v, orders need %v", coin, p.Available, p.Locked, locked[coin])
		}
	}
	runs(t, "spot", a.SpotBills, a.Spot)
	runs(t, "funding", a.FundingBills, a.Funding)
	eachOrderOnce(t, a)
	tradesBalance(t, a)
}

// runs fails unless each bill's balance follows from the one before, and the last one
// equals the balance.
func runs(t reporter, name string, bills []account.BookedBill, w account.Wallet) {
	t.Helper()
	after := map[affiliate.Coin]decimal.Decimal{}
	var before account.BookedBill
	for _, b := range bills {
		after[b.Coin] = after[b.Coin].Add(b.Delta)
		if !after[b.Coin].Equal(b.After) || b.After.IsNegative() || b.ID <= before.ID || b.At < before.At {
			t.Errorf("%s: bill %+v after %+v, sum %v", name, b, before, after[b.Coin])
		}
		before = b
	}
	for coin, p := range w {
		if !p.Total().Equal(after[coin]) {
			t.Errorf("%s: %v %s, the bills have %v", name, p.Total(), coin, after[coin])
		}
	}
}

// eachOrderOnce fails unless every order is either open or ended, and its fills add up to
// its filled amount.
func eachOrderOnce(t reporter, a *account.SpotAccount) {
	t.Helper()
	filled := map[*account.SpotOrder]decimal.Decimal{}
	for _, f := range a.Fills {
		filled[f.Order] = filled[f.Order].Add(f.Quantity)
	}
	open := counted(a.Open)
	for _, o := range a.Orders {
		listed := open[o]
		if (listed == 1) == o.Closed() || listed > 1 || !filled[o].Equal(o.Filled) || o.Remaining().IsNegative() {
			t.Errorf("order %+v is listed %d times, fills %v", o, listed, filled[o])
		}
		if (o.Status == account.StatusFilled) != o.Remaining().IsZero() {
			t.Errorf("order %+v", o)
		}
	}
}

// tradesBalance fails unless the bills of trades match the fills.
func tradesBalance(t reporter, a *account.SpotAccount) {
	t.Helper()
	moved := map[affiliate.Coin]decimal.Decimal{}
	for _, b := range a.SpotBills {
		if b.Business == "trade_in" || b.Business == "trade_out" {
			moved[b.Coin] = moved[b.Coin].Sub(b.Delta)
		}
	}
	for _, f := range a.Fills {
		m := f.Order.Market
		in, out, got, gave := m.Base, m.Quote, f.Quantity, f.Value
		if !f.Order.Buys() {
			in, out, got, gave = out, in, gave, got
		}
		moved[in] = moved[in].Add(got).Sub(f.Fees)
		moved[out] = moved[out].Sub(gave)
	}
	for coin, rest := range moved {
		if !rest.IsZero() {
			t.Errorf("%v %s of trades are not in both fills and bills", rest, coin)
		}
	}
}

func TestBooksOfAQuietAccount(t *testing.T) {
	d := newHarness(t, Options{Seed: 2, Days: 100, Invitees: 20, Records: 3000})
	sound(t, d.s)
}
