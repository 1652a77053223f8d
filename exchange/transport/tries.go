package transport

import "context"

type triesKey struct{}

// WithTries bounds how often the reading calls made with the context are sent:
// n times, or fewer where [Config].Tries says so. A call to an exchange that
// is known to be down is made once.
func WithTries(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, triesKey{}, n)
}

// tries is how often a reading call is sent at most.
func (c *Sender) tries(ctx context.Context) int {
	if n, given := ctx.Value(triesKey{}).(int); given {
		return min(max(1, n), c.cfg.Tries)
	}
	return c.cfg.Tries
}
