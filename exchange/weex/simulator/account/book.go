package account

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// BookedBill is one change of a balance in the spot or the funding account. The delta is
// net: a fee taken from it is reported but must not be subtracted again.
type BookedBill struct {
	ID          int64
	Coin        affiliate.Coin
	Business    string
	At          int64
	Size, Value decimal.Decimal // of a fill
	Delta       decimal.Decimal
	After       decimal.Decimal // balance afterwards, including the amounts locked by orders
	Fees        decimal.Decimal
}

// book changes a balance and writes the bill for it.
func (a *SpotAccount) book(list *[]BookedBill, w Wallet, b BookedBill) int64 {
	p := w.of(b.Coin)
	p.Available = p.Available.Add(b.Delta)
	b.ID, b.After = a.newID(), p.Total()
	*list = append(*list, b)
	return b.ID
}
