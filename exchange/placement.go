package exchange

import "rebatedesk/exchange/wire"

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

// placements is the answer to a batch. No field of an order is required: the outcome of an
// order without an id is unknown, and the others are not affected.
type placements struct {
	Items *wire.Array[placement] `json:"resultList"`
}

func (p *placements) Lacks() (field, why string) {
	if p.Items == nil {
		return "resultList", wire.Absent
	}
	return "", ""
}

// placedAll returns the outcome of each order in a batch, sent with the ids own.
func (v verdict) placedAll(items []placement, garbled bool, own []string) []Outcome {
	ids := make(map[string]string, len(items))
	given := map[string]bool{}
	distinct := true
	for _, p := range items {
		id := idOf(p.ID)
		ids[p.Echo.Value] = id
		distinct = distinct && !given[id]
		given[id] = id != ""
	}
	delete(given, "")
	v = v.contradicted(garbled || len(given) > 0)
	belongs := distinct && len(items) == len(own) && len(ids) == len(own)
	for _, id := range own {
		_, there := ids[id]
		belongs = belongs && there
	}
	if v.State == answered && !belongs {
		v = v.doubt("the answer does not hold exactly the orders that were sent")
	}
	outcomes := make([]Outcome, len(own))
	for i, id := range own {
		item := v
		switch {
		case v.State != answered:
		case ids[id] == "":
			item = v.doubt("the answer gives this order no id")
		default:
			item.State = Placed
		}
		outcomes[i] = item.of(ids[id], id)
	}
	return outcomes
}
