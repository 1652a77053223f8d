package simulator

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// bill is one change of a balance, of the spot or the funding account. The
// delta is net: a fee that was taken from it is stated, not to be subtracted.
type bill struct {
	id          int64
	coin        affiliate.Coin
	business    string
	at          int64
	size, value decimal.Decimal // of a fill
	delta       decimal.Decimal
	after       decimal.Decimal // balance afterwards, what orders have locked included
	fees        decimal.Decimal
}

// book changes a balance and writes the bill about it.
func (a *account) book(list *[]bill, w wallet, b bill) int64 {
	p := w.of(b.coin)
	p.available = p.available.Add(b.delta)
	b.id, b.after = a.newID(), p.total()
	*list = append(*list, b)
	return b.id
}
