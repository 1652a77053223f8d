package transport

import (
	"context"
	"sync/atomic"
	"time"
)

// pace lets the calls of an account go one at a time, with a least time between two calls to one
// endpoint.
type pace struct {
	free chan struct{}        // has an element while no call is under way
	last map[string]time.Time // when a call to an endpoint last ended, by its name
	any  time.Time            // when any call last ended
	each time.Duration        // the least time between any two calls
	busy *atomic.Int64        // no call starts before, in milliseconds since 1970
}

func newPace(each time.Duration) pace {
	p := pace{each: each, free: make(chan struct{}, 1), last: map[string]time.Time{}, busy: new(atomic.Int64)}
	p.free <- struct{}{}
	return p
}

// rest lets no call start for a while.
func (p *pace) rest(pause time.Duration) {
	if pause > 0 {
		p.busy.Store(time.Now().Add(min(pause, longestPause)).UnixMilli() + 1)
	}
}

// take waits until a call to the endpoint may start. The caller calls done when it has ended.
func (p *pace) take(ctx context.Context, e Endpoint) (done func(), err error) {
	select {
	case <-p.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if wait := max(time.Until(p.last[e.Name].Add(e.Every)), time.Until(p.any.Add(p.each)), time.Until(time.UnixMilli(p.busy.Load()))); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			p.free <- struct{}{}
			return nil, ctx.Err()
		}
	}
	return func() {
		p.any = time.Now()
		p.last[e.Name] = p.any
		p.free <- struct{}{}
	}, nil
}
