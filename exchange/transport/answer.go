package transport

import (
	"cmp"
	"context"
	"time"

	"rebatedesk/affiliate"
)

// RawAnswer is the answer to a reading call that succeeded.
type RawAnswer struct {
	// Request is the method, the path with the query, and the body if there is one. It holds
	// no credentials: these are only in headers.
	Request  string
	Body     []byte           // as received, without HTTP's own compression and without names of people; valid during the call only
	Received time.Time        // by the local clock, when the body had arrived
	Exchange affiliate.Millis // as the answer says, or its Date header; unknown if neither does
}

type answersKey struct{}

// WithAnswers makes reading calls with the context pass each answer that reports success and
// is understood to take, in the goroutine of the call. A nil take ends that.
func WithAnswers(ctx context.Context, take func(RawAnswer)) context.Context {
	return context.WithValue(ctx, answersKey{}, take)
}

// pass hands a successful answer to whom the context says.
func (c *Sender) pass(ctx context.Context, call APICall, got Received, exchange affiliate.Millis) {
	take, _ := ctx.Value(answersKey{}).(func(RawAnswer))
	if take == nil {
		return
	}
	request := call.Endpoint.Method + " " + cmp.Or(call.Path, call.Endpoint.PathIn(c.cfg.APIVersion))
	if call.Query != "" {
		request += "?" + call.Query
	}
	if call.Body != "" {
		request += " " + call.Body
	}
	body := got.Body
	if call.Kept != nil {
		body = call.Kept(body)
	}
	take(RawAnswer{Request: request, Body: body, Received: got.at, Exchange: exchange})
}
