package account

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Kinds of account between which money is moved. The interface document does not list them.
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

// transfer moves an available amount from one account to the other. Both accounts write a
// bill for it.
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
