package exchange

// orderCall is how an order call's answer is read and judged, whoever wrote
// the call: a method of the client, or a program that has it forwarded.
type orderCall struct {
	payload payload
	judge   func(verdict) []Outcome // one for each order, in the order sent
}

func one(o Outcome) []Outcome { return []Outcome{o} }

// placing is for one spot order with the id own (4.7).
func placing(own string) orderCall {
	p := newPlacement(placementNames)
	return orderCall{p, func(v verdict) []Outcome { return one(v.placed(p.value, own)) }}
}

// triggering is for a trigger order with the id own (4.13).
func triggering(own string) orderCall {
	p := newPlacement(triggerNames)
	return orderCall{p, func(v verdict) []Outcome { return one(v.placed(p.value, own)) }}
}

// placingAll is for a batch of spot orders with the ids own (4.8).
func placingAll(own []string) orderCall {
	p := newPlacementList()
	return orderCall{p, func(v verdict) []Outcome { return v.placedAll(p.value.items, own) }}
}

// cancelling is for the cancellation of one order (4.9).
func cancelling(symbol string, ref OrderRef) orderCall {
	p := newObjectReader((*reader).cancellationField, needCancellation)
	return orderCall{p, func(v verdict) []Outcome { return one(v.cancelled(p.value, symbol, ref)) }}
}

// cancellingAll is for the cancellation of several orders (4.10).
func cancellingAll(refs OrderRefs) orderCall {
	p := newObjectReader((*reader).cancellationsField, needCancellations)
	return orderCall{p, func(v verdict) []Outcome { return v.cancelledAll(p.value, refs) }}
}
