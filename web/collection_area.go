package web

import (
	"context"
	"sync/atomic"
)

// collectionArea is the state of the collection, and what changed after it was
// read.
type collectionArea struct {
	*base
	Collect    func(ctx context.Context) error // starts or makes a collection; nil: not offered
	collecting atomic.Bool
}

func newCollectionArea(b *base, collect func(ctx context.Context) error) *collectionArea {
	return &collectionArea{base: b, Collect: collect}
}
