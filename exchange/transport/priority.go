package transport

import "context"

// Priority is the order in which calls waiting for the [Budget] are sent.
type Priority int

// Priority classes, lowest first. Orders always have their own class. Of the other calls,
// affiliate endpoints count as collection and the rest as interactive, unless
// [WithPriority] says otherwise.
const (
	Collection  Priority = iota // fetches records in the background
	Interactive                 // a user waits for the answer
	OrderCalls                  // places or cancels orders; only order calls have it
	priorities  = iota
)

// String returns the name of the class, as used in metrics.
func (p Priority) String() string {
	switch p {
	case Collection:
		return "collection"
	case Interactive:
		return "interactive"
	case OrderCalls:
		return "orders"
	}
	return "unknown"
}

type priorityKey struct{}

// WithPriority sets the class of reading calls made with the context. Any value except
// Interactive counts as Collection. Order calls keep their class.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// priorityOf returns the class of a call.
func priorityOf(ctx context.Context, e Endpoint) Priority {
	if !e.Reading {
		return OrderCalls
	}
	switch p, given := ctx.Value(priorityKey{}).(Priority); {
	case given && p == Interactive:
		return Interactive
	case given, e.Affiliate:
		return Collection
	}
	return Interactive
}
