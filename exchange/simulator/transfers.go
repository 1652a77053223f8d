package simulator

import (
	"strconv"
)

// transferDone is the only state that a transfer has here. The interface document
// leaves it open.
const transferDone = "Successful"

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
