package simulator

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// The kinds of account that money is moved between. The interface document leaves
// them open.
const (
	spotType    = "spot"
	fundingType = "funding"
)

// transfer is a movement between two accounts of the user.
type transfer struct {
	at       int64
	coin     affiliate.Coin
	amount   decimal.Decimal
	from, to string
}

// transfer moves an amount, which is there, from one account to the other.
// Both write a bill of it.
func (a *account) transfer(at int64, coin affiliate.Coin, amount decimal.Decimal, from, to string) {
	entry := bill{coin: coin, at: at}
	for _, account := range []string{from, to} {
		entry.business, entry.delta = "transfer_out", amount.Neg()
		if account == to {
			entry.business, entry.delta = "transfer_in", amount
		}
		if account == spotType {
			a.book(&a.spotBills, a.spot, entry)
		} else {
			a.book(&a.fundingBills, a.funding, entry)
		}
	}
	a.transfers = append(a.transfers, transfer{at, coin, amount, from, to})
}
