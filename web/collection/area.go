// Package collection has the handlers of the pages about the state of the collection
// and about restatements.
package collection

import (
	"context"
	"sync/atomic"

	"rebatedesk/web/handler"
)

// Area holds the handlers of the pages about the state of the collection and about
// restatements.
type Area struct {
	*handler.Base
	Collect    func(ctx context.Context) error // starts or makes a collection; nil: not offered
	facts      func() handler.HealthFacts      // about the database
	collecting atomic.Bool
}

func New(b *handler.Base, collect func(ctx context.Context) error, facts func() handler.HealthFacts) *Area {
	return &Area{Base: b, Collect: collect, facts: facts}
}
