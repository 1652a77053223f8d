// Package guard turns panics into errors, so that a failure in one piece of work does not
// end the process.
package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic that was caught.
type Panic struct {
	Where string // the piece of work
	Cause any    // argument of the panic
	stack string
}

// Error returns the work and the cause.
func (p *Panic) Error() string {
	return fmt.Sprintf("a fault of this program, %s: %v", p.Where, p.Cause)
}

// Do runs f. It logs a panic in f with its stack and returns it as a [*Panic]; without a
// log it only returns it, for a [Catcher] above it to log. where names the work.
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
	p := &Panic{where, cause, string(debug.Stack())}
	p.tell(log)
	*err = p
}

func (p *Panic) tell(log *slog.Logger) {
	if log != nil {
		log.Error("panic caught", "where", p.Where, "cause", fmt.Sprint(p.Cause), "stack", p.stack)
	}
}

// Catcher logs and counts the panics of a service. Its zero value only counts them. It is safe for
// concurrent use once Log is set.
type Catcher struct {
	Log    *slog.Logger // nil: panics are not logged
	caught atomic.Int64
}

// Caught returns the number of panics since the start.
func (w *Catcher) Caught() int64 { return w.caught.Load() }

// Do is the function of that name, for work that fails as a whole.
func (w *Catcher) Do(where string, f func() error) error {
	err := Do(nil, where, f)
	if p, panicked := errors.AsType[*Panic](err); panicked {
		p.tell(w.Log)
		w.caught.Add(1)
	}
	return err
}

// Part runs f as one of several parts, of a page or a message: a panic in it fails the part, and
// the others stand. An error fails the whole, since what caused it, such as the end of a request,
// concerns all parts.
func (w *Catcher) Part(where string, f func() error) (failed bool, err error) {
	err = w.Do(where, f)
	if _, failed = errors.AsType[*Panic](err); failed {
		return true, nil
	}
	return false, err
}
