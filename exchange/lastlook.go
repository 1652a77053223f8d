package exchange

import "context"

type lastLookKey struct{}

// WithLastLook has the calls made with the context look once more when their
// turn has come: where look fails nothing is sent, and an order is [NotSent]. A
// turn can take seconds to come, and what was allowed before may not be then.
func WithLastLook(ctx context.Context, look func(context.Context) error) context.Context {
	return context.WithValue(ctx, lastLookKey{}, look)
}

func lastLook(ctx context.Context) error {
	if look, given := ctx.Value(lastLookKey{}).(func(context.Context) error); given {
		return look(ctx)
	}
	return nil
}
