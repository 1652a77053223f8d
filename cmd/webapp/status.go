package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"rebatedesk/cmd/webapp/internal/config"
)

// Exit statuses.
const (
	statusDone       = 0
	statusFailed     = 1
	statusUsage      = 2 // wrong usage or configuration
	statusIncomplete = 3 // finished, but with parts missing
)

// usageError is an error of the command line.
type usageError struct{ err error }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// incompleteError is the error of a command that finished with parts of its result missing:
// one cause per part.
type incompleteError struct{ causes []string }

func (e *incompleteError) Error() string { return strings.Join(e.causes, "\n") }

// statusOf returns the exit status of err.
func statusOf(err error) int {
	var (
		faults     config.SettingFaults
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

// finish prints err, each line prefixed with the name of the program, and returns
// its exit status.
func (p *program) finish(err error) int {
	status := statusOf(err)
	if err == nil {
		return status
	}
	named, _ := p.named(err)
	for line := range strings.Lines(named.Error()) {
		// If stderr is gone, the error cannot be reported.
		_, _ = fmt.Fprintln(p.stderr, "webapp: "+printable(strings.TrimRight(line, "\n")))
	}
	return status
}

// printable returns a text that is safe for a terminal. Invalid and invisible characters,
// and those that change the direction of text, become escapes, because texts of the
// database and of the exchange can contain anything. Tabs, which separate columns, stay.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		part := text[:size]
		if text = text[size:]; r == '\t' || strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(part)
			continue
		}
		quoted := strconv.Quote(part)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
