package transport

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"rebatedesk/exchange/wire"
)

// maxPause is the longest pause between two tries.
const maxPause = 30 * time.Second

// APICall is one call to an endpoint, in the very bytes that go on the wire.
type APICall struct {
	Endpoint Endpoint
	Query    string // without "?"
	Body     string // empty for GET
	Path     string // empty: the endpoint's own, in the version of the settings

	Preflight func(context.Context) error // runs just before sending; nil is none
}

// Perform sends a call until it succeeds, fails for good or is given up, and
// returns the payload of the answer that counts. Each try gets a payload of
// its own from fresh: nothing of a broken answer survives into the next.
//
// Only reading calls are sent more than once; orders do not come here at all
// but go by sendOrder, which knows more about how they ended. A refused timestamp
// is answered by setting the clock and one more try.
func Perform[P wire.Payload](ctx context.Context, c *Sender, call APICall, fresh func() P) (P, error) {
	clockSet := false
	for try := 1; ; try++ {
		p := fresh()
		failure := c.Once(ctx, call, p).Failure
		if failure == nil {
			return p, nil
		}
		if err := ctx.Err(); err != nil {
			return p, fmt.Errorf("%v: %w", call.Endpoint, err)
		}
		c.Warn(ctx, "exchange call failed", failure, try)
		if !call.Endpoint.Reading {
			return p, failure
		}
		if failure.Class == ClassClock && call.Endpoint.Signed && !clockSet {
			clockSet = true
			switch err := c.SetClock(ctx); {
			case ctx.Err() != nil:
				return p, err
			case err != nil:
				return p, fmt.Errorf("%w (and its clock could not be read: %w)", failure, err)
			}
			continue
		}
		if !failure.passing() || try >= c.tries(ctx) {
			return p, failure
		}
		if err := c.pause(ctx, failure, try); err != nil {
			return p, fmt.Errorf("%v: %w", call.Endpoint, err)
		}
	}
}

// Warn logs a call that failed.
func (c *Sender) Warn(ctx context.Context, what string, failure *Error, try int) {
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, what, failure.attrs(try)...)
}

// pause waits before the next try: twice as long each time, half of it by
// chance, so that many clients do not come back together. After a rate limit
// the budget holds everybody back already.
func (c *Sender) pause(ctx context.Context, failure *Error, try int) error {
	if failure.Class == ClassRateLimit {
		return nil
	}
	pause := c.cfg.Backoff
	for range try - 1 {
		pause = min(2*pause, maxPause)
	}
	timer := time.NewTimer(pause/2 + rand.N(pause/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
