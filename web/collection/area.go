// Package collection has the handlers of the state of the collection, and of what
// changed after it was read.
package collection

import (
	"context"
	"sync/atomic"

	"rebatedesk/web/handler"
)

// Area is the state of the collection, and what changed after it was
// read.
type Area struct {
	*handler.Base
	Collect    func(ctx context.Context) error // starts or makes a collection; nil: not offered
	collecting atomic.Bool
}

func New(b *handler.Base, collect func(ctx context.Context) error) *Area {
	return &Area{Base: b, Collect: collect}
}
