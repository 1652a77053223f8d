package weex

import (
	"rebatedesk/exchange"

	"context"
	"net/http"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
)

// OutcomeState is the result of an order call. An order is sent at most once. An [Unknown]
// result must be resolved by querying, never by sending again.
type OutcomeState string

// The states of an outcome.
const (
	// Placed: the exchange reported success, gave an id and repeated ours.
	Placed OutcomeState = "placed"
	// Cancelled: the exchange reported that the order is cancelled.
	Cancelled OutcomeState = "cancelled"
	// Refused: the exchange refused the order, in a complete answer with status 2xx or 4xx
	// and a code known to name a fault of the request, or with HTTP 429, which precedes any
	// execution. Nothing was executed. An unknown code proves nothing, whatever it
	// resembles.
	Refused OutcomeState = "refused"
	// NotSent: provably no byte left this machine. The request broke a rule, the
	// credentials are incomplete, the wait for a turn was given up, no connection was made
	// (name, dialling, TLS), or the connection was closed before the first byte.
	NotSent OutcomeState = "not-sent"
	// Unknown: everything else. Bytes left and no answer came; or the answer is HTML, cut
	// off, a redirect, HTTP 5xx, without a code, a system error (40015), contradicts itself
	// or does not belong to the order.
	Unknown OutcomeState = "unknown"
)

// Outcome is the result of one order, or of one cancellation.
type Outcome struct {
	State         OutcomeState
	OrderID       string // the exchange's; empty if it gave none
	ClientOrderID string // ours, as sent
	Evidence      Evidence
}

// Evidence is the basis of a [State].
type Evidence struct {
	Sent    bool             // bytes may have left this machine
	Status  int              // HTTP status; 0 if no answer arrived
	Code    string           // the exchange's, for the whole answer or for this order
	Message string           // the exchange's words, or ours
	Class   exchange.Class   // empty if the answer was a success
	At      affiliate.Millis // by the exchange's clock as far as known
	Err     error            // the underlying [Error]; nil if the answer was a success
}

// sendOrder sends the call in f at most once.
func (c *Client) sendOrder(ctx context.Context, f fields, o orderCall, opts []OrderOption) []Outcome {
	var s transport.Attempt
	if f.err != nil {
		s.Failure = f.err
	} else {
		s = c.t.Once(ctx, withOptions(f.call(), opts), o.payload)
	}
	return o.outcomes(c.verdict(ctx, s))
}

// verdict is the result of an order call as a whole.
func (c *Client) verdict(ctx context.Context, s transport.Attempt) verdict {
	v := verdict{stateOf(s), evidenceOf(s, c.t.LocalTime()), c.t.Sanitize}
	if s.Failure != nil {
		c.t.Warn(ctx, "exchange order call: "+string(v.State), s.Failure, 1)
	}
	return v
}

// stateOf returns the state of a call as a whole; answered means success, subject to the
// payload.
func stateOf(s transport.Attempt) OutcomeState {
	e := s.Failure
	switch {
	case e == nil:
		return answered
	case !s.Left:
		return NotSent
	case s.Status == http.StatusTooManyRequests:
		return Refused
	case !s.Whole || e.Code == "" || !refusing(s.Status):
		return Unknown
	}
	if isNo(e.Code) {
		return Refused
	}
	return Unknown
}

// isNo reports whether a code is known to mean a refusal issued before anything was
// executed.
func isNo(code string) bool { return code == orderNotFound || saysNo(code) }

// orderNotFound is the reason for a failed cancellation of an order that does not exist
// (4.10).
const orderNotFound = "FAILED_ORDER_NOT_FOUND"

// refusing reports whether an answer with this status can be a refusal.
func refusing(status int) bool {
	return transport.IsSuccess(status) || status >= 400 && status < 500 && status != http.StatusRequestTimeout
}

func evidenceOf(s transport.Attempt, now time.Time) Evidence {
	v := Evidence{Sent: s.Left, Status: s.Status, At: affiliate.MillisOf(now)}
	if e := s.Failure; e != nil {
		v.Code, v.Message, v.Class, v.Err = e.Code, e.Message, e.Class, e
	}
	return v
}

// answered is an intermediate state: the answer as a whole is a success.
const answered OutcomeState = "answered"

// verdict is the result that the answer as a whole implies for every order of the call.
type verdict struct {
	State    OutcomeState
	Evidence Evidence
	words    func(string) string // makes foreign text safe to show
}

// of returns the verdict as the outcome of one order.
func (v verdict) of(id, own string) Outcome {
	return Outcome{State: v.State, OrderID: id, ClientOrderID: own, Evidence: v.Evidence}
}

// doubt makes the verdict unknown, for the given reason.
func (v verdict) doubt(reason string) verdict {
	v.State = Unknown
	v.Evidence.Message, v.Evidence.Class = v.words(reason), exchange.ClassMalformed
	return v
}

// contradicted makes the verdict doubtful if the answer is a refusal and yet names an
// order.
func (v verdict) contradicted(named bool) verdict {
	if v.State == Refused && named {
		return v.doubt("the answer refuses (" + v.Evidence.Code + ": " + v.Evidence.Message + ") and names an order all the same")
	}
	return v
}

// refused returns the outcome of one order refused within a successful answer. If the
// reason is not known, neither is whether the order was executed.
func (v verdict) refused(code, message string) verdict {
	v.State = Unknown
	if isNo(code) {
		v.State = Refused
	}
	v.Evidence.Code, v.Evidence.Message, v.Evidence.Class = v.words(code), v.words(message), exchange.ClassTrading
	if m, known := knownCodes[code]; known {
		v.Evidence.Class = m.Class
	}
	return v
}
