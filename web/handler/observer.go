package handler

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/export"
)

// Observer receives events in order to count them. Each of its functions may be called
// by many goroutines at once; a nil function is not called. No event identifies a
// person.
type Observer struct {
	// Request is an answered request: the pattern of its route, [NoRoute] if it
	// reached none, and the time until its answer began. Requests that are refused
	// before a route is chosen, such as those with an unknown method, are not
	// reported.
	Request func(route string, status int, took time.Duration)
	// ExportFile is a completely written file.
	Export func(kind string, format export.Format, rows int64)
	// SignIn is an attempt to sign in, by its outcome.
	SignIn func(outcome SignInOutcome)
}

// NoRoute is the common name of all addresses without a route.
const NoRoute = "none"

// SignInOutcome is the outcome of an attempt to sign in.
type SignInOutcome string

// The outcomes. A correct password that requires a second factor is CodeNeeded; the
// code has a separate outcome.
const (
	SignInDone      SignInOutcome = "done"
	SignInCode      SignInOutcome = "code-needed"
	SignInWrong     SignInOutcome = "wrong"
	SignInThrottled SignInOutcome = "throttled"
	SignInBusy      SignInOutcome = "busy"
	SignInFailed    SignInOutcome = "failed" // because of an internal error
)

func (w Observer) CountRequest(c *fiber.Ctx, status int, took time.Duration) {
	if w.Request != nil {
		w.Request(RouteName(c), status, took)
	}
}

func (w Observer) countExport(kind string, format export.Format, rows int64) {
	if w.Export != nil {
		w.Export(kind, format, rows)
	}
}

func (w Observer) CountSignIn(e access.Entry, err error) {
	if w.SignIn != nil {
		w.SignIn(outcomeOf(e, err))
	}
}

// outcomeOf returns the outcome of an attempt to sign in. If a half session has expired
// when its code arrives, or its user was disabled, the attempt counts as wrong.
func outcomeOf(e access.Entry, err error) SignInOutcome {
	var throttled *access.Throttled
	switch {
	case err == nil && e.Principal.State == access.NeedsCode:
		return SignInCode
	case err == nil:
		return SignInDone
	case errors.Is(err, access.ErrWrong), errors.Is(err, access.ErrNoSession):
		return SignInWrong
	case errors.As(err, &throttled):
		return SignInThrottled
	case errors.Is(err, access.ErrBusy):
		return SignInBusy
	}
	return SignInFailed
}

// RouteName returns the pattern of the route that answered. A request that the guards
// stopped has their pattern, "/", so strange addresses, however many, share one name.
func RouteName(c *fiber.Ctx) string {
	pattern := c.Route().Path
	if pattern == "/" && c.Path() != "/" {
		return NoRoute
	}
	return pattern
}
