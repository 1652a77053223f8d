package transport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// Class is the kind of an [Error], which also decides the remedy. A Class is itself a
// target for errors.Is.
type Class string

// Classes of errors.
const (
	ClassRequest    Class = "request"    // not sent: the request itself breaks a rule of the document
	ClassAuth       Class = "auth"       // wrong or missing key, secret or passphrase
	ClassClock      Class = "clock"      // the timestamp was refused after the clock had been set
	ClassValidation Class = "validation" // the exchange refused a parameter or a range
	ClassPermission Class = "permission" // the key or the account may not do this
	ClassRateLimit  Class = "rate-limit" // too many requests; a ban follows
	ClassUpstream   Class = "upstream"   // the exchange failed
	ClassTrading    Class = "trading"    // an order was refused
	ClassTransport  Class = "transport"  // no answer arrived
	ClassMalformed  Class = "malformed"  // an answer arrived that cannot be trusted
)

// Error makes a class usable with errors.Is.
func (c Class) Error() string { return string(c) + " error of the exchange" }

// Words says what the exchange did, in the words of those who read figures. It is empty for
// classes that no reading call has.
func (c Class) Words() string {
	switch c {
	case ClassTransport:
		return "the exchange has not answered"
	case ClassUpstream, ClassMalformed:
		return "the exchange has not given a usable answer"
	case ClassRateLimit:
		return "the exchange has refused requests, as there were too many"
	case ClassAuth:
		return "the exchange has refused the key"
	case ClassPermission:
		return "the exchange has not let the key read"
	case ClassClock:
		return "the exchange has refused the time of this server"
	case ClassValidation:
		return "the exchange has refused what was asked for"
	}
	return ""
}

// Error is the failure of a call for any reason except a cancelled context.
type Error struct {
	Class    Class
	Endpoint string // name and section: "affiliate commissions (4.17)"
	Status   int    // HTTP status; 0 if no answer arrived
	Code     string // the exchange's; empty if there was none
	Message  string // the exchange's own words, or ours if it had none
	Hint     string // what to check or do; may be empty
	Err      error  // the cause, if any

	entered string // see [Meaning]
}

// Error returns one line that a manager understands.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Endpoint + ": ")
	switch {
	case e.Code != "":
		fmt.Fprintf(&b, "the exchange answered code %s (HTTP %d)", e.Code, e.Status)
	case e.Status != 0:
		fmt.Fprintf(&b, "the exchange answered HTTP %d", e.Status)
	case e.Class == ClassTransport && !errors.Is(e.Err, errNoTurn):
		b.WriteString("no answer")
	default:
		b.WriteString("not sent")
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the class of e.
func (e *Error) Is(target error) bool {
	class, ok := target.(Class)
	return ok && class == e.Class
}

// ClassOf returns the class of the [Error] in err. It is empty if err holds none, as for a
// cancelled context.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Fail returns the error of a call to e that had no usable answer.
func (e Endpoint) Fail(class Class, message, hint string, cause error) *Error {
	return &Error{Class: class, Endpoint: e.String(), Message: message, Hint: hint, Err: cause}
}

// retryable reports whether the same reading call may succeed a moment later.
func (e *Error) retryable() bool {
	if e.Status >= 300 && e.Status < 400 {
		return false // a redirect needs a different setting, not another try
	}
	switch e.Class {
	case ClassRateLimit, ClassUpstream, ClassTransport, ClassMalformed:
		return true
	}
	return false
}

// attrs returns the error's attributes for the log.
func (e *Error) attrs(try int) []slog.Attr {
	return []slog.Attr{
		slog.String("endpoint", e.Endpoint), slog.Int("try", try), slog.String("class", string(e.Class)),
		slog.Int("status", e.Status), slog.String("code", e.Code), slog.String("message", e.Message),
	}
}

// Inconsistent returns the error for answers that are valid one by one but contradict each
// other.
func (e Endpoint) Inconsistent(message string) *Error {
	failure := e.Fail(ClassMalformed, message, "", nil)
	failure.Status = http.StatusOK
	return failure
}
