package simulator

import (
	"strconv"

	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/exchange/weex/simulator/market"
)

// largestBatch is the largest number of orders that one call of 4.8 may place and one call
// of 4.10 may cancel. The interface document states neither.
const largestBatch = 50

// placeOrder answers 4.7. Quantities are in base coins, also for market buy orders; the
// interface document does not specify it.
func (s *Simulator) placeOrder(e *encoder, p *parameters) *refusal {
	o, refused := s.place(s.market(p), p)
	if refused != nil {
		return refused
	}
	e.placed(o)
	return nil
}

// placeOrders answers 4.8. A refused order has no entry in the answer. If all orders are
// refused, the first refusal is the answer.
func (s *Simulator) placeOrders(e *encoder, p *parameters) *refusal {
	m := s.market(p)
	items := p.objects("orderList")
	if len(items) == 0 {
		p.fail(errEmpty("orderList"))
	}
	if len(items) > largestBatch {
		p.fail(errInvalid("orderList"))
	}
	if p.refused != nil {
		return p.refused
	}
	var placed []*account.SpotOrder
	var first *refusal
	for _, item := range items {
		o, refused := s.place(m, item)
		if refused == nil {
			placed = append(placed, o)
		} else if first == nil {
			first = refused
		}
	}
	if len(placed) == 0 {
		return first
	}
	e.raw("{")
	e.name("resultList")
	e.list(len(placed), func(i int) { e.placed(placed[i]) })
	e.raw("}")
	return nil
}

func (e *encoder) placed(o *account.SpotOrder) {
	e.raw("{")
	e.digits("orderId", strconv.FormatInt(o.ID, 10), e.otherTypes)
	e.text("clientOrderId", e.echo(o.ClientID))
	e.raw("}")
}

// echo returns a client's own identifier as the answer repeats it.
func (e *encoder) echo(id string) string {
	if e.wrongEcho {
		return "other" + strconv.Itoa(len(id))
	}
	return id
}

// place reads, checks and accepts one order.
func (s *Simulator) place(m *market.SpotPair, p *parameters) (*account.SpotOrder, *refusal) {
	a := s.trading()
	a.Receive(p.get("clientOrderId"))
	if m == nil {
		return nil, p.refused
	}
	o := readOrder(m, p)
	if p.refused != nil {
		return nil, p.refused
	}
	err := a.Check(o)
	if err == nil {
		err = a.Accept(o)
	}
	return o, refusalOf(err)
}

// readOrder reads the fields of an order. It does not read those that the order's type
// ignores.
func readOrder(m *market.SpotPair, p *parameters) *account.SpotOrder {
	o := &account.SpotOrder{
		Market: m, Side: p.oneOf("side", account.SideBuy, account.SideSell), Kind: p.oneOf("orderType", account.TypeLimit, account.TypeMarket),
	}
	if o.Kind == account.TypeLimit {
		o.Force = p.oneOf("force", account.ForceNormal, account.ForcePostOnly, account.ForceFOK, account.ForceIOC)
		o.Price = p.decimal("price")
		o.Ticks = o.Price.Shift(m.PriceDecimals).IntPart()
	}
	o.Quantity, o.ClientID = p.decimal("quantity"), p.required("clientOrderId")
	return o
}
