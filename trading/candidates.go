package trading

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// Candidate is an order of the account whose fills match an order in pair, side, price,
// quantity and time.
type Candidate struct {
	OrderID     string
	Quantity    affiliate.Number // filled quantity, the sum of its fills
	First, Last affiliate.Millis
	Fills       []weex.Fill
}

// candidates returns the orders whose fills match an order that cannot be found, earliest
// first.
func (s *search) candidates(o Order) (list []Candidate) {
	place := map[string]int{}
	for _, v := range s.fills {
		if s.known[v.OrderID] || v.Side != weex.Side(o.Side) || !priceFits(o, v) {
			continue
		}
		at, there := place[v.OrderID]
		if !there {
			at = len(list)
			place[v.OrderID] = at
			list = append(list, Candidate{OrderID: v.OrderID, First: v.Created, Last: v.Created})
		}
		c := &list[at]
		c.Fills = append(c.Fills, v)
		c.First, c.Last = min(c.First, v.Created), max(c.Last, v.Created)
	}
	return fitting(list, o.Quantity)
}

// priceFits reports whether a fill can belong to an order: its price is never worse than
// the limit. An unknown price fits.
func priceFits(o Order, v weex.Fill) bool {
	if !o.Price.Known() || !v.FillPrice.Known() {
		return true
	}
	if o.Side == string(weex.Buy) {
		return v.FillPrice.Cmp(o.Price) <= 0
	}
	return v.FillPrice.Cmp(o.Price) >= 0
}

// fitting returns the candidates that have not filled more than the quantity of the order.
func fitting(list []Candidate, quantity affiliate.Number) (kept []Candidate) {
	for _, c := range list {
		var sum affiliate.Sum
		for _, v := range c.Fills {
			sum.Add(v.FillQuantity)
		}
		c.Quantity = affiliate.Number(sum.String())
		if c.Quantity.Cmp(quantity) <= 0 {
			kept = append(kept, c)
		}
	}
	return kept
}
