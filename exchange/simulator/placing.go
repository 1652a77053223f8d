package simulator

import (
	"strconv"

	"rebatedesk/exchange/simulator/market"
)

// largestBatch is how many orders one call of 4.8 may place, and how many one
// of 4.10 may cancel. The interface document gives neither.
const largestBatch = 50

// placeOrder answers 4.7. Quantities are counted in base coins, those of market
// orders to buy as well; the interface document leaves it open.
func (s *Simulator) placeOrder(e *encoder, p *parameters) *refusal {
	o, refused := s.place(s.market(p), p)
	if refused != nil {
		return refused
	}
	e.placed(o)
	return nil
}

// placeOrders answers 4.8. An order that is refused has no entry in the answer;
// where all of them are, the first refusal is the answer.
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
	var placed []*order
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

func (e *encoder) placed(o *order) {
	e.raw("{")
	e.digits("orderId", strconv.FormatInt(o.id, 10), e.otherTypes)
	e.text("clientOrderId", e.echo(o.clientID))
	e.raw("}")
}

// echo is a client's own identifier as the answer repeats it.
func (e *encoder) echo(id string) string {
	if e.wrongEcho {
		return "other" + strconv.Itoa(len(id))
	}
	return id
}

// place reads, checks and accepts one order.
func (s *Simulator) place(m *market.SpotPair, p *parameters) (*order, *refusal) {
	a := s.trading()
	a.receive(p.get("clientOrderId"))
	if m == nil {
		return nil, p.refused
	}
	o := readOrder(m, p)
	if p.refused != nil {
		return nil, p.refused
	}
	err := a.check(o)
	if err == nil {
		err = a.accept(o)
	}
	return o, refusalOf(err)
}

// readOrder reads the fields of an order. Those that its type ignores are not
// looked at.
func readOrder(m *market.SpotPair, p *parameters) *order {
	o := &order{
		market: m, side: p.oneOf("side", sideBuy, sideSell), kind: p.oneOf("orderType", typeLimit, typeMarket),
	}
	if o.kind == typeLimit {
		o.force = p.oneOf("force", forceNormal, forcePostOnly, forceFOK, forceIOC)
		o.price = p.decimal("price")
		o.ticks = o.price.Shift(m.PriceDecimals).IntPart()
	}
	o.quantity, o.clientID = p.decimal("quantity"), p.required("clientOrderId")
	return o
}
