package site

import (
	"math/big"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/trading"
)

// Places places an order that rests.
func (f *TradingSite) Places(symbol string, percent string, quantity string) (worth *big.Rat) {
	f.Helper()
	price := f.Sim.Price(symbol).Decimal().Mul(affiliate.Number(percent).Decimal()).Truncate(2).String()
	at, _ := f.Reviewed(f.Limit(f.FormOf(f.Theo.Get("/console/trade")), price, quantity, "symbol", symbol)...)
	f.Theo.Post(at + "/send")
	if f.State(at) != trading.IntentPlaced {
		f.Fatalf("%+v", f.Said(at))
	}
	return new(big.Rat).Mul(Fraction(price), Fraction(quantity))
}

// Open returns the ids of the open orders of a pair.
func (f *TradingSite) Open(symbol string) (ids []string) {
	for _, o := range f.Orders() {
		if o.Symbol == symbol && o.Status != account.StatusCancelled {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// Cancellations returns how many calls to cancel arrived at the exchange.
func (f *TradingSite) Cancellations() (n int) {
	for path, times := range f.Sim.Stats().Requests {
		if strings.Contains(path, "/trade/cancel") {
			n += times
		}
	}
	return n
}
