package main

import (
	"errors"
	"fmt"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
)

// The exit statuses.
const (
	statusDone       = 0
	statusFailed     = 1
	statusUsage      = 2 // wrong usage or configuration
	statusIncomplete = 3 // it ran, and something is missing
)

// usageError is a command line that does not say what to do.
type usageError struct{ err error }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// incompleteError is a command that ran to its end with something missing from
// its result: one cause for each missing piece.
type incompleteError struct{ causes []string }

func (e *incompleteError) Error() string { return strings.Join(e.causes, "\n") }

// statusOf is the exit status that err means.
func statusOf(err error) int {
	var (
		faults     config.Faults
		misused    *usageError
		incomplete *incompleteError
	)
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &faults), errors.As(err, &misused):
		return statusUsage
	case errors.As(err, &incomplete):
		return statusIncomplete
	}
	return statusFailed
}

// finish tells the user what err says, each of its lines marked as ours, and
// gives its exit status.
func (p *program) finish(err error) int {
	status := statusOf(err)
	if err == nil {
		return status
	}
	for line := range strings.Lines(err.Error()) {
		// Where stderr is gone there is nobody left to tell.
		_, _ = fmt.Fprintln(p.stderr, "webapp: "+printable(strings.TrimRight(line, "\n")))
	}
	return status
}
