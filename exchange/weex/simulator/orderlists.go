package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/weex/simulator/account"
)

// openOrders answers 4.11. Pages are counted from 0; the next page and the
// total are null, as in the interface document's sample.
func (s *Simulator) openOrders(e *encoder, p *parameters) *refusal {
	m, size, page := s.market(p), p.bounded("limit", 1, 100, 100), p.bounded("pageNo", 0, 1<<31, 0)
	if p.refused != nil {
		return p.refused
	}
	a := s.trading()
	all := cut(a.Open, func(o **account.SpotOrder) bool { return (*o).Market == m }, page+1, size, s.options.Order)
	e.raw("{")
	e.name("orderInfoResultList")
	e.raw("[")
	each(e, all.records, func(o *account.SpotOrder) { e.order(a, o) })
	e.raw("]")
	e.null("nextPage")
	e.null("totals")
	e.raw("}")
	return nil
}

func (e *encoder) order(a *account.SpotAccount, o *account.SpotOrder) {
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("accountId", a.ID, !e.otherTypes)
	e.text("symbol", o.Market.Symbol)
	e.digits("orderId", strconv.FormatInt(o.ID, 10), !e.otherTypes)
	e.text("clientOrderId", o.ClientID)
	number("price", o.Price)
	number("quantity", o.Quantity)
	e.text("orderType", o.Kind)
	e.text("side", o.Side)
	e.text("status", o.Status)
	number("latestFillPrice", o.Latest)
	number("maxFillPrice", o.Highest)
	number("minFillPrice", o.Lowest)
	number("fillQuantity", o.Filled)
	number("fillTotalAmount", o.Value)
	e.digits("cTime", strconv.FormatInt(o.Created, 10), !e.otherTypes)
	e.digits("uTime", strconv.FormatInt(o.Updated, 10), !e.otherTypes)
	e.raw("}")
}

// fills answers 4.12. Pages are counted from 0, and both ends of the time range are
// included.
func (s *Simulator) fills(e *encoder, p *parameters) *refusal {
	m, id := s.market(p), p.number("orderId", 0, 0)
	from, to := p.number("after", 0, 0), p.number("before", 0, never)
	page, size := p.bounded("pageIndex", 0, 1<<31, 0), p.bounded("pageSize", 1, 100, 10)
	if p.refused != nil {
		return p.refused
	}
	a := s.trading()
	all := cut(a.Fills, func(f *account.SpotFill) bool {
		return f.Order.Market == m && f.At >= from && f.At <= to && (id == 0 || f.Order.ID == id)
	}, page+1, size, s.options.Order)
	total := all.total
	if e.zeroTotals {
		total = 0
	}
	e.raw("{")
	e.name("fillsOrderResultList")
	e.raw("[")
	each(e, all.records, func(f account.SpotFill) { e.fill(a, f) })
	e.raw("]")
	e.digits("nextPage", strconv.FormatBool((page+1)*size < all.total), e.otherTypes)
	e.count("totals", total)
	e.raw("}")
	return nil
}

func (e *encoder) fill(a *account.SpotAccount, f account.SpotFill) {
	m := f.Order.Market
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("accountId", a.ID, !e.otherTypes)
	e.text("symbol", m.Symbol)
	e.text("baseCoin", string(m.Base))
	e.text("quoteCoin", string(m.Quote))
	e.digits("orderId", strconv.FormatInt(f.Order.ID, 10), !e.otherTypes)
	e.digits("fillId", strconv.FormatInt(f.ID, 10), !e.otherTypes)
	if e.emptyFields {
		e.text("orderType", "")
	} else {
		e.text("orderType", f.Order.Kind)
	}
	e.text("side", f.Order.Side)
	if e.emptyFields {
		e.text("fillPrice", "")
	} else {
		number("fillPrice", f.Price)
	}
	number("fillQuantity", f.Quantity)
	number("fillTotalAmount", f.Value)
	number("fees", f.Fees)
	e.digits("cTime", strconv.FormatInt(f.At, 10), !e.otherTypes)
	e.raw("}")
}
