package handler

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
)

// Observer is told what happens, to count it. Each of its functions may be called
// by many goroutines at once; one that is nil is not called. None is told who
// it was about.
type Observer struct {
	// Request is an answered request: the pattern of its route, [NoRoute] where
	// it reached none, and how long it took until its answer began. What is
	// refused before any route is chosen, such as an unknown method, is not
	// told.
	Request func(route string, status int, took time.Duration)
	// ExportFile is a file that was written to its end.
	Export func(kind reports.ExportKind, format export.Format, rows int64)
	// SignIn is an attempt to sign in, by its outcome.
	SignIn func(outcome SignInOutcome)
}

// NoRoute stands for all addresses that lead nowhere.
const NoRoute = "none"

// SignInOutcome is what became of an attempt to sign in.
type SignInOutcome string

// The outcomes. A password that is right where a second factor is asked for is
// CodeNeeded; the code's own outcome follows.
const (
	SignInDone      SignInOutcome = "done"
	SignInCode      SignInOutcome = "code-needed"
	SignInWrong     SignInOutcome = "wrong"
	SignInThrottled SignInOutcome = "throttled"
	SignInBusy      SignInOutcome = "busy"
	SignInFailed    SignInOutcome = "failed" // for a reason of our own
)

func (w Observer) CountRequest(c *fiber.Ctx, status int, took time.Duration) {
	if w.Request != nil {
		w.Request(RouteName(c), status, took)
	}
}

func (w Observer) countExport(kind reports.ExportKind, format export.Format, rows int64) {
	if w.Export != nil {
		w.Export(kind, format, rows)
	}
}

func (w Observer) CountSignIn(e access.Entry, err error) {
	if w.SignIn != nil {
		w.SignIn(outcomeOf(e, err))
	}
}

// outcomeOf is what became of an attempt to sign in. A half session that has
// run out when its code comes, or whose user was disabled, is a wrong attempt.
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

// RouteName is the pattern of the route that answered. A request that only got
// as far as the guards carries theirs, which is "/": so many strange addresses
// as there may be, they all have one name.
func RouteName(c *fiber.Ctx) string {
	pattern := c.Route().Path
	if pattern == "/" && c.Path() != "/" {
		return NoRoute
	}
	return pattern
}
