package simulator

import (
	"strconv"

	"rebatedesk/exchange/weex/simulator/account"
)

// transferDone is the only state of a transfer here. The interface document does not list
// the states.
const transferDone = "Successful"

// transferRecords answers 4.16. The parameters are reversed: after selects earlier
// transfers, before selects later ones.
func (s *Simulator) transferRecords(e *encoder, p *parameters) *refusal {
	coin, from := p.coinOf(), p.text("fromType")
	earlier, later := p.number("after", 0, never), p.number("before", 0, -1)
	p.reaches(s, later)
	size := p.size("limit", 100, 500)
	if from != "" && from != account.SpotType && from != account.FundingType {
		p.fail(errInvalid("fromType"))
	}
	if p.refused != nil {
		return p.refused
	}
	all := cut(s.trading().Transfers, func(t *account.Movement) bool {
		return t.At < earlier && t.At > later && (coin == "" || t.Coin == coin) && (from == "" || t.From == from)
	}, 1, size, s.options.Order)
	e.raw("[")
	each(e, all.records, e.transfer)
	e.raw("]")
	return nil
}

func (e *encoder) transfer(t account.Movement) {
	e.raw("{")
	e.text("coinName", string(t.Coin))
	e.text("status", transferDone)
	e.text("toType", t.To)
	e.optional("toSymbol", "")
	e.text("fromType", t.From)
	e.optional("fromSymbol", "")
	e.digits("amount", t.Amount.String(), !e.otherTypes)
	e.digits("tradeTime", strconv.FormatInt(t.At, 10), !e.otherTypes)
	e.raw("}")
}
