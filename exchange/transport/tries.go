package transport

import "context"

type triesKey struct{}

// WithTries limits how often reading calls made with the context are sent: n times, or
// fewer if [Config].Tries is smaller. An exchange known to be down is tried once.
func WithTries(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, triesKey{}, n)
}

// tries returns how often a reading call is sent at most.
func (c *Sender) tries(ctx context.Context) int {
	if n, given := ctx.Value(triesKey{}).(int); given {
		return min(max(1, n), c.cfg.Tries)
	}
	return c.cfg.Tries
}
