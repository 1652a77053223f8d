package exchange

import "github.com/go-json-experiment/json/jsontext"

// placement is what the exchange says of an order that it took.
type placement struct {
	id   string
	echo Text // our own id, repeated
}

// names are what id and echo are called: the spot market writes numbers and
// camel case, the contract market text and underscores.
type names struct{ id, echo string }

var (
	placementNames = names{"orderId", "clientOrderId"}
	triggerNames   = names{"order_id", "client_oid"}
)

func (n names) field(r *reader, p *placement) bool {
	switch string(r.name) {
	case n.id:
		p.id = r.id()
	case n.echo:
		p.echo = r.given()
	default:
		return false
	}
	return true
}

func newPlacement(n names) *objectReader[placement] {
	return newObjectReader(n.field, func(r *reader, p *placement) { r.need(n.id, p.id != "") })
}

// id reads the id of an order; 0 is none.
func (r *reader) id() string {
	if s := r.identity(); s != "0" {
		return s
	}
	return ""
}

// placed is the outcome of the one order of a call, sent with the id own.
func (v verdict) placed(p placement, own string) Outcome {
	v = v.contradicted(p.id != "")
	if v.State == answered {
		v.State = Placed
		if p.echo.Given && own != "" && p.echo.Value != own {
			v = v.doubt("the answer repeats another client order id than the one that was sent")
		}
	}
	return v.of(p.id, own)
}

// placements are what the exchange says of the orders of a batch.
type placements struct {
	items []placement
	there bool
}

func newPlacementList() *objectReader[placements] {
	return newObjectReader(func(r *reader, p *placements) bool {
		if string(r.name) != "resultList" {
			return false
		}
		p.items, p.there = eachRecord(r, readPlacement)
		return true
	}, func(r *reader, p *placements) { r.need("resultList", p.there) })
}

// readPlacement reads one order of a batch. Nothing is required: an order
// without an id is one whose outcome is unknown, whatever the others are.
func readPlacement(r *reader) placement {
	var p placement
	if r.kind() != jsontext.KindBeginObject {
		r.skip()
		r.wrong("is not an order")
		return p
	}
	for r.token(); r.members(); {
		if !placementNames.field(r, &p) {
			r.skip()
		}
	}
	return p
}

// placedAll is the outcome of each order of a batch, sent with the ids own.
func (v verdict) placedAll(items []placement, own []string) []Outcome {
	ids := make(map[string]string, len(items))
	given := map[string]bool{}
	distinct := true
	for _, p := range items {
		ids[p.echo.Value] = p.id
		distinct = distinct && !given[p.id]
		given[p.id] = p.id != ""
	}
	delete(given, "")
	v = v.contradicted(len(given) > 0)
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
