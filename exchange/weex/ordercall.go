package weex

import (
	"context"

	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// OrderOption changes how an order call is sent.
type OrderOption func(*transport.APICall)

// WithPreflight runs check when the call's turn in the [Budget] has come, just before the
// call is sent. If check fails, the call is not sent and its orders are [NotSent]. A turn
// can take seconds to come, and the situation may have changed by then.
func WithPreflight(check func(context.Context) error) OrderOption {
	return func(c *transport.APICall) { c.Preflight = check }
}

// withOptions returns the call as changed by the options.
func withOptions(call transport.APICall, opts []OrderOption) transport.APICall {
	for _, apply := range opts {
		apply(&call)
	}
	return call
}

// orderCall reads and classifies the answer to an order call, whether made by a method of
// the client or forwarded for a program.
type orderCall struct {
	payload  wire.Payload
	outcomes func(verdict) []Outcome // one for each order, in the order sent
}

func one(o Outcome) []Outcome { return []Outcome{o} }

// placing describes a call for one spot order with our id own (4.7).
func placing(own string) orderCall {
	p := wire.NewObjectReader(wire.Lacking[placement])
	return orderCall{p, func(v verdict) []Outcome { return one(v.placed(p.Value, p.Garbled, own)) }}
}

// triggering describes a call for a trigger order with our id own (4.13).
func triggering(own string) orderCall {
	p := wire.NewObjectReader(wire.Lacking[triggerPlacement])
	return orderCall{p, func(v verdict) []Outcome { return one(v.placed(placement(p.Value), p.Garbled, own)) }}
}

// placingAll describes a call for a batch of spot orders with our ids own (4.8).
func placingAll(own []string) orderCall {
	p := wire.NewObjectReader(wire.Lacking[placements])
	return orderCall{p, func(v verdict) []Outcome { return v.placedAll(p.Value.Items.All(), p.Garbled, own) }}
}

// cancelling describes a call that cancels one order (4.9).
func cancelling(symbol string, ref OrderRef) orderCall {
	p := wire.NewObjectReader(wire.Lacking[cancellation])
	return orderCall{p, func(v verdict) []Outcome { return one(v.cancelled(p.Value, p.Garbled, symbol, ref)) }}
}

// cancellingAll describes a call that cancels several orders (4.10).
func cancellingAll(refs OrderRefs) orderCall {
	p := wire.NewObjectReader(wire.Lacking[cancellations])
	return orderCall{p, func(v verdict) []Outcome { return v.cancelledAll(p.Value, p.Garbled, refs) }}
}
