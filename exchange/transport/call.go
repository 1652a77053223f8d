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

// APICall is one call to an endpoint, byte for byte as it is sent.
type APICall struct {
	Endpoint Endpoint
	Query    string // without "?"
	Body     string // empty for GET
	Path     string // empty: the endpoint's own, in the configured version

	Preflight func(context.Context) error // runs just before sending; may be nil

	// Kept returns what of an answer may be kept, see [WithAnswers]; nil = all of it.
	Kept func([]byte) []byte
}

// Perform sends a call until it succeeds, fails permanently or is cancelled, and returns
// the payload of the last answer. fresh makes a new payload for each try, so that nothing
// of a broken answer survives.
//
// Only reading calls are repeated; orders go through [Sender.Once]. After a refused
// timestamp the clock is set and the call is sent once more.
func Perform[P wire.Payload](ctx context.Context, c *Sender, call APICall, fresh func() P) (P, error) {
	clockSet := false
	for try := 1; ; try++ {
		p := fresh()
		attempt := c.Once(ctx, call, p)
		failure := attempt.Failure
		if failure == nil {
			c.pass(ctx, call, attempt.Got, attempt.Time)
		}
		giveBack(attempt.Got.Body) // payloads and errors have their own copies
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
		if !failure.retryable() || try >= c.tries(ctx) || !c.bans.until(c.cfg.Now()).IsZero() {
			return p, failure
		}
		if err := c.pause(ctx, failure, try); err != nil {
			return p, fmt.Errorf("%v: %w", call.Endpoint, err)
		}
	}
}

type refusableKey struct{}

// WithRefusals is for calls that the exchange may refuse for lack of a permission or because
// of their parameters, and whose caller reports that. Such a refusal is logged at level debug.
func WithRefusals(ctx context.Context) context.Context {
	return context.WithValue(ctx, refusableKey{}, true)
}

// Warn logs a failed call.
func (c *Sender) Warn(ctx context.Context, what string, failure *Error, try int) {
	level := slog.LevelWarn
	if ctx.Value(refusableKey{}) != nil && (failure.Class == ClassPermission || failure.Class == ClassValidation) {
		level = slog.LevelDebug
	}
	c.cfg.Log.LogAttrs(ctx, level, what, failure.attrs(try)...)
}

// pause waits before the next try, with exponential backoff and jitter: as after a rate limit where
// the protocol says how long that is. After a rate limit
// the budget already holds back all calls.
func (c *Sender) pause(ctx context.Context, failure *Error, try int) error {
	if failure.Class == ClassRateLimit {
		return nil
	}
	pause, most := c.cfg.Backoff, maxPause
	if c.protocol.Ban > 0 {
		pause, most = c.cfg.BanWait, longestPause
	}
	for range try - 1 {
		pause = min(2*pause, most)
	}
	pause = pause/2 + rand.N(pause/2+1)
	if c.protocol.Ban > 0 {
		pause *= 2 // never less than asked
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
