package weex

import (
	"rebatedesk/exchange"

	"context"
	"fmt"

	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// Answer is the exchange's answer to a [Request], byte for byte.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	Used        string // X-USED-WEIGHT-10S as received; empty if absent
	Remaining   string // X-REMAINING-WEIGHT-10S

	// Outcomes holds the result of each order in an order call, in the order sent, by the
	// rules of the client's own methods. It is nil for reading calls. It is set even if
	// there is an error.
	Outcomes []Outcome
}

// Forward checks a request as [Client.Read] does and sends it unchanged, signed
// over the exact bytes that go on the wire, under the budget and in the class of
// the context (see [WithPriority]). A refusal by the exchange is an answer, not
// an error. The error is an [Error]:
//   - of [ClassRequest] if a rule is broken and nothing was sent,
//   - of [ClassAuth] if the credentials are incomplete and nothing was sent,
//   - otherwise if the answer is absent, incomplete or larger than 8 MiB.
//
// An order is sent at most once. A reading call is sent once more if its
// timestamp was refused, after the clock has been set.
func (c *Client) Forward(ctx context.Context, r Request) (Answer, error) {
	q, err := c.Read(r)
	if err != nil {
		return Answer{}, err
	}
	return c.ForwardRead(ctx, q)
}

// ForwardRead is [Client.Forward] for a request parsed by [Client.Read]. The options apply
// to order calls.
func (c *Client) ForwardRead(ctx context.Context, q ParsedRequest, opts ...OrderOption) (Answer, error) {
	if q.Endpoint.Reading {
		return c.forwardReading(ctx, q.call)
	}
	s := c.t.Once(ctx, withOptions(q.call, opts), q.order.payload)
	answer, err := answerOf(s)
	answer.Outcomes = q.order.outcomes(c.verdict(ctx, s))
	return answer, err
}

func (c *Client) forwardReading(ctx context.Context, call transport.APICall) (Answer, error) {
	s := c.t.Once(ctx, call, wire.NoPayload{})
	if s.Failure != nil && s.Failure.Class == exchange.ClassClock && call.Endpoint.Signed && c.t.SetClock(ctx) == nil {
		s = c.t.Once(ctx, call, wire.NoPayload{})
	}
	return answerOf(s)
}

// answerOf returns the answer of an attempt if it is complete.
func answerOf(s transport.Attempt) (Answer, error) {
	a := Answer{Status: s.Got.Status, Body: s.Got.Body}
	switch {
	case s.Got.Status == 0:
		return Answer{}, s.Failure
	case s.Cut != nil:
		return Answer{}, fmt.Errorf("the answer did not arrive in full: %w", s.Failure)
	}
	a.ContentType = s.Got.Header.Get("Content-Type")
	a.Used, a.Remaining = s.Got.Header.Get("X-USED-WEIGHT-10S"), s.Got.Header.Get("X-REMAINING-WEIGHT-10S")
	return a, nil
}
