// Package guard turns panics into errors, so that a failure in one piece of work does not
// end the process.
package guard

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panic is a panic that was caught.
type Panic struct {
	Where string // the piece of work
	Cause any    // argument of the panic
}

// Error returns the work and the cause.
func (p *Panic) Error() string {
	return fmt.Sprintf("a fault of this program, %s: %v", p.Where, p.Cause)
}

// Do runs f. It logs a panic in f with its stack and returns it as a [*Panic]; without a
// log it only returns it. where names the work.
func Do(log *slog.Logger, where string, f func() error) (err error) {
	defer Recover(log, where, &err)
	return f()
}

// Recover is Do for a function that defers it: err is the function's own error.
func Recover(log *slog.Logger, where string, err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	if log != nil {
		log.Error("panic caught", "where", where, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
	}
	*err = &Panic{where, cause}
}
