package transport

import "context"

// Priority says who goes first where calls wait for the [Budget].
type Priority int

// The classes, the later ones before the earlier ones. Orders always have a
// class of their own; of the others the affiliate endpoints are taken for
// collection and the rest for interactive, unless [WithPriority] says otherwise.
const (
	Collection  Priority = iota // fetches records in the background
	Interactive                 // somebody is waiting for the answer
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

// WithPriority gives the reading calls made with the context a class: whatever
// is not Interactive is taken for Collection. Order calls keep theirs.
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
