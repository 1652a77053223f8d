package weex

import (
	"cmp"
	"slices"

	"rebatedesk/exchange/wire"
)

// placement is the answer for an accepted order, with the field names of the spot market.
type placement struct {
	ID   string    `json:"orderId"`
	Echo wire.Text `json:"clientOrderId"` // our own id, repeated by the exchange
}

func (p *placement) Lacks() (field, why string) {
	if !named(p.ID) {
		return "orderId", wire.Absent
	}
	return "", ""
}

// triggerPlacement is a placement with the field names of the contract market.
type triggerPlacement struct {
	ID   string    `json:"order_id"`
	Echo wire.Text `json:"client_oid"`
}

func (p *triggerPlacement) Lacks() (field, why string) {
	if !named(p.ID) {
		return "order_id", wire.Absent
	}
	return "", ""
}

// named reports whether an id of the exchange is set; 0 means it is not.
func named(id string) bool { return id != "" && id != "0" }

// idOf returns an id of the exchange, empty if it is not set.
func idOf(id string) string {
	if named(id) {
		return id
	}
	return ""
}

// placed returns the outcome of a single order, sent with the id own.
func (v verdict) placed(p placement, garbled bool, own string) Outcome {
	id := idOf(p.ID)
	v = v.contradicted(garbled || id != "")
	if v.State == answered {
		v.State = Placed
		if p.Echo.Given && own != "" && p.Echo.Value != own {
			v = v.doubt("the answer repeats another client order id than the one that was sent")
		}
	}
	return v.of(id, own)
}

// batchPlacement is one order of the answer to a batch. The document knows no reason beside an order
// that was not placed; where one stands, it is told.
type batchPlacement struct {
	placement
	ErrCode wire.Text     `json:"errorCode"`
	ErrMsg  wire.FreeText `json:"errorMsg"`
}

// failed reports whether a reason stands beside the order. A code of success is none.
func (p batchPlacement) failed() bool {
	return p.ErrMsg != "" || p.ErrCode.Value != "" && !success.OK(p.ErrCode.Value)
}

// reason is why the order was not placed, in the exchange's words.
func (p batchPlacement) reason() string { return cmp.Or(string(p.ErrMsg), "code "+p.ErrCode.Value) }

// placements is the answer to a batch. No field of an order is required: the outcome of an
// order without an id is unknown, and the others are not affected.
type placements struct {
	Items *wire.Array[batchPlacement] `json:"resultList"`
}

func (p *placements) Lacks() (field, why string) {
	if p.Items == nil {
		return "resultList", wire.Absent
	}
	return "", ""
}

// placedAll returns the outcome of each order in a batch, sent with the ids own. What the answer
// says of one order holds whatever it says of the others: an order is placed if the answer names
// its own id once, with an id of the exchange that no other order has.
func (v verdict) placedAll(items []batchPlacement, garbled bool, own []string) []Outcome {
	byOwn := map[string][]batchPlacement{}
	orders := map[string]int{} // how often an id of the exchange is given
	foreign := false
	for _, p := range items {
		byOwn[p.Echo.Value] = append(byOwn[p.Echo.Value], p)
		foreign = foreign || !slices.Contains(own, p.Echo.Value)
		if id := idOf(p.ID); id != "" {
			orders[id]++
		}
	}
	v = v.contradicted(garbled || len(orders) > 0)
	outcomes := make([]Outcome, len(own))
	for i, id := range own {
		found := byOwn[id]
		var got batchPlacement
		if len(found) == 1 {
			got = found[0]
		}
		item, order := v, idOf(got.ID)
		switch {
		case v.State != answered:
		case len(found) > 1:
			item = v.doubt("the answer names this order several times")
		case len(found) == 0 && foreign:
			item = v.doubt("the answer does not name this order, and names one that was not sent")
		case len(found) == 0:
			item = v.doubt("the answer does not name this order")
		case order != "" && orders[order] > 1:
			item = v.doubt("the answer gives several orders the same id")
		case order != "" && got.failed():
			item = v.doubt("the answer gives this order an id and an error: " + got.reason())
		case order != "":
			item.State = Placed
		case got.failed():
			item = v.refused(got.ErrCode.Value, got.reason())
		default:
			item = v.doubt("the answer gives this order no id")
		}
		outcomes[i] = item.of(order, id)
	}
	return outcomes
}
