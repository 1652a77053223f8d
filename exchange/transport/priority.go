package transport

import "context"

// Priority is the order in which calls waiting for the [Budget] are sent.
type Priority int

// The classes; later ones go first. Orders always have their own class. Of the
// others, affiliate endpoints count as collection and the rest as interactive,
// unless [WithPriority] says otherwise.
const (
	Collection  Priority = iota // fetches records in the background
	Interactive                 // a person waits for the answer
	OrderCalls                  // places or cancels; only order calls have it
	priorities  = iota
)

// String is the name of the class, as used in metrics.
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

// WithPriority sets the class of reading calls made with the context. Any value but
// Interactive counts as Collection. Order calls keep theirs.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// priorityOf is the class of a call.
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
