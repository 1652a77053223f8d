package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// The account types between which is transferred, and the only state a
// transfer has here. The interface document leaves all of them open.
const (
	spotType     = "spot"
	fundingType  = "funding"
	transferDone = "Successful"
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

// transferRecords answers 4.16. The words are reversed there: after asks for
// what was earlier, before for what was later.
func (s *Simulator) transferRecords(e *encoder, p *parameters) *refusal {
	coin, from := p.coinOf(), p.text("fromType")
	earlier, later := p.number("after", 0, never), p.number("before", 0, -1)
	size := p.size("limit", 100, 500)
	if from != "" && from != spotType && from != fundingType {
		p.fail(errInvalid("fromType"))
	}
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().transfers, func(t *transfer) bool {
		return t.at < earlier && t.at > later && (coin == "" || t.coin == coin) && (from == "" || t.from == from)
	}, 1, size, s.options.Order)
	e.raw("[")
	each(e, all.records, e.transfer)
	e.raw("]")
	return nil
}

func (e *encoder) transfer(t transfer) {
	e.raw("{")
	e.text("coinName", string(t.coin))
	e.text("status", transferDone)
	e.text("toType", t.to)
	e.optional("toSymbol", "")
	e.text("fromType", t.from)
	e.optional("fromSymbol", "")
	e.digits("amount", t.amount.String(), !e.otherTypes)
	e.digits("tradeTime", strconv.FormatInt(t.at, 10), !e.otherTypes)
	e.raw("}")
}
