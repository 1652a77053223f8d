package account

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// The kinds of account that money is moved between. The interface document leaves
// them open.
const (
	SpotType    = "spot"
	FundingType = "funding"
)

// Movement is a movement between two accounts of the user.
type Movement struct {
	At       int64
	Coin     affiliate.Coin
	Amount   decimal.Decimal
	From, To string
}

// transfer moves an amount, which is there, from one account to the other.
// Both write a bill of it.
func (a *SpotAccount) transfer(at int64, coin affiliate.Coin, amount decimal.Decimal, from, to string) {
	entry := BookedBill{Coin: coin, At: at}
	for _, account := range []string{from, to} {
		entry.Business, entry.Delta = "transfer_out", amount.Neg()
		if account == to {
			entry.Business, entry.Delta = "transfer_in", amount
		}
		if account == SpotType {
			a.book(&a.SpotBills, a.Spot, entry)
		} else {
			a.book(&a.FundingBills, a.Funding, entry)
		}
	}
	a.Transfers = append(a.Transfers, Movement{at, coin, amount, from, to})
}
