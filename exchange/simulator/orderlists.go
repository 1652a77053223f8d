package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// openOrders answers 4.11. Pages are counted from 0; the next page and the
// total are null, as in the interface document's sample.
func (s *Simulator) openOrders(e *encoder, p *parameters) *refusal {
	m, size, page := s.market(p), p.bounded("limit", 1, 100, 100), p.bounded("pageNo", 0, 1<<31, 0)
	if p.refused != nil {
		return p.refused
	}
	a := s.trading()
	all := cut(a.open, func(o **order) bool { return (*o).market == m }, page+1, size, s.options.Order)
	e.raw("{")
	e.name("orderInfoResultList")
	e.raw("[")
	each(e, all.records, func(o *order) { e.order(a, o) })
	e.raw("]")
	e.null("nextPage")
	e.null("totals")
	e.raw("}")
	return nil
}

func (e *encoder) order(a *account, o *order) {
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("accountId", a.id, !e.otherTypes)
	e.text("symbol", o.market.Symbol)
	e.digits("orderId", strconv.FormatInt(o.id, 10), !e.otherTypes)
	e.text("clientOrderId", o.clientID)
	number("price", o.price)
	number("quantity", o.quantity)
	e.text("orderType", o.kind)
	e.text("side", o.side)
	e.text("status", o.status)
	number("latestFillPrice", o.latest)
	number("maxFillPrice", o.highest)
	number("minFillPrice", o.lowest)
	number("fillQuantity", o.filled)
	number("fillTotalAmount", o.value)
	e.digits("cTime", strconv.FormatInt(o.created, 10), !e.otherTypes)
	e.digits("uTime", strconv.FormatInt(o.updated, 10), !e.otherTypes)
	e.raw("}")
}

// fills answers 4.12. Pages are counted from 0, and both ends of the time
// belong to it.
func (s *Simulator) fills(e *encoder, p *parameters) *refusal {
	m, id := s.market(p), p.number("orderId", 0, 0)
	from, to := p.number("after", 0, 0), p.number("before", 0, never)
	page, size := p.bounded("pageIndex", 0, 1<<31, 0), p.bounded("pageSize", 1, 100, 10)
	if p.refused != nil {
		return p.refused
	}
	a := s.trading()
	all := cut(a.fills, func(f *fill) bool {
		return f.order.market == m && f.at >= from && f.at <= to && (id == 0 || f.order.id == id)
	}, page+1, size, s.options.Order)
	total := all.total
	if e.zeroTotals {
		total = 0
	}
	e.raw("{")
	e.name("fillsOrderResultList")
	e.raw("[")
	each(e, all.records, func(f fill) { e.fill(a, f) })
	e.raw("]")
	e.digits("nextPage", strconv.FormatBool((page+1)*size < all.total), e.otherTypes)
	e.count("totals", total)
	e.raw("}")
	return nil
}

func (e *encoder) fill(a *account, f fill) {
	m := f.order.market
	number := func(name string, value decimal.Decimal) { e.digits(name, value.String(), !e.otherTypes) }
	e.raw("{")
	e.digits("accountId", a.id, !e.otherTypes)
	e.text("symbol", m.Symbol)
	e.text("baseCoin", string(m.Base))
	e.text("quoteCoin", string(m.Quote))
	e.digits("orderId", strconv.FormatInt(f.order.id, 10), !e.otherTypes)
	e.digits("fillId", strconv.FormatInt(f.id, 10), !e.otherTypes)
	if e.emptyFields {
		e.text("orderType", "")
	} else {
		e.text("orderType", f.order.kind)
	}
	e.text("side", f.order.side)
	if e.emptyFields {
		e.text("fillPrice", "")
	} else {
		number("fillPrice", f.price)
	}
	number("fillQuantity", f.quantity)
	number("fillTotalAmount", f.value)
	number("fees", f.fees)
	e.digits("cTime", strconv.FormatInt(f.at, 10), !e.otherTypes)
	e.raw("}")
}
