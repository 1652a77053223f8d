package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// Received is an answer as received.
type Received struct {
	Status int
	Header http.Header
	Body   []byte
	at     time.Time // local time when it ended
	Left   bool      // bytes of the call may have left this machine
}

// Attempt is the result of sending a call once.
type Attempt struct {
	Failure *Error // nil if the answer reports success and is understood
	Whole   bool   // the answer arrived in full and is JSON
	Left    bool   // bytes of the call may have left this machine
	Status  int    // HTTP status; 0 if no answer arrived
	Got     Received
	Cut     error // why the answer's body did not arrive in full

	Time affiliate.Millis // by the exchange's clock, as the answer says; unknown if it does not
}

// Once waits for its turn, sends the call once and opens the answer. If the context ends
// before the call's turn, or a shared budget cannot be asked, the error is of class
// transport.
func (c *Sender) Once(ctx context.Context, call APICall, p wire.Payload) Attempt {
	attempt := c.once(ctx, call, p)
	attempt.Failure = c.advised(attempt.Failure)
	return attempt
}

func (c *Sender) once(ctx context.Context, call APICall, p wire.Payload) Attempt {
	e := call.Endpoint
	if e.Signed && (c.cfg.Key == "" || c.cfg.Secret == "" || c.cfg.Passphrase == "" && !c.protocol.NoPassphrase) {
		return Attempt{Failure: e.Fail(ClassAuth, "the credentials are not complete", HintAll, nil)}
	}
	if until := c.bans.until(c.cfg.Now()); !until.IsZero() {
		return Attempt{Failure: e.Fail(ClassRateLimit, "the exchange has asked to wait until "+until.UTC().Format("2 January 15:04:05 UTC"), HintRate, errNoTurn)}
	}
	if e.Every > 0 && !c.cfg.Unpaced {
		done, err := c.pace.take(ctx, e)
		if err != nil {
			return Attempt{Failure: e.Fail(ClassTransport, "gave up waiting for a turn", "", fmt.Errorf("%w: %w", errNoTurn, err))}
		}
		defer done()
	}
	ctx, ended, err := c.cfg.Budget.take(ctx, c.turn(ctx, e))
	if err != nil {
		why := "gave up waiting for a turn"
		if errors.Is(err, errUnshared) {
			why = err.Error()
		}
		return Attempt{Failure: e.Fail(ClassTransport, why, "", fmt.Errorf("%w: %w", errNoTurn, err))}
	}
	defer ended()
	if call.Preflight != nil {
		if err := call.Preflight(ctx); err != nil {
			return Attempt{Failure: e.Fail(ClassTransport, err.Error(), "", fmt.Errorf("%w: %w", errNoTurn, err))}
		}
	}
	sent := c.cfg.Now()
	got, err := c.send(ctx, call)
	if err != nil && (got.Status == 0 || IsSuccess(got.Status)) {
		return Attempt{Failure: c.lost(ctx, e, got.Status, err), Left: got.Left, Status: got.Status, Got: got, Cut: err}
	}
	return c.Open(ctx, e, got, p, sent, err)
}

// Open reads an answer and reports the result of the call. cut is why its body did not
// arrive in full.
func (c *Sender) Open(ctx context.Context, e Endpoint, got Received, p wire.Payload, sent time.Time, cut error) Attempt {
	// A refusal counts even if its body was cut off: a 429 begins a ban either way.
	c.cfg.Budget.observe(headerInt(got.Header, c.protocol.WeightUsed), headerInt(got.Header, c.protocol.WeightLeft))
	if c.protocol.Rest != nil {
		c.pace.rest(c.protocol.Rest(got.Header))
	}
	a, fault, broken := wire.ReadEnvelope(got.Body, c.protocol.Success, p)
	c.learn(e, a, p, got, sent)
	c.cfg.Log.LogAttrs(ctx, slog.LevelDebug, "exchange call", slog.String("endpoint", e.String()),
		slog.Int("status", got.Status), slog.String("code", c.Sanitize(a.Code)), slog.Duration("took", got.at.Sub(sent)))
	return Attempt{
		Failure: c.advised(c.classify(e, got, a, fault, broken)),
		Whole:   cut == nil && broken == nil, Left: got.Left, Status: got.Status, Got: got, Cut: cut,
		Time: timeOf(a, got),
	}
}

// send sends the call and reads the complete answer.
func (c *Sender) send(ctx context.Context, call APICall) (Received, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, errNoAnswer)
	defer cancel()
	var w watch
	client := c.http
	if !call.Endpoint.Reading {
		client, ctx = c.orders, w.follow(ctx)
	}
	req, err := c.request(ctx, call)
	if err != nil {
		return Received{}, err
	}
	c.requests.Add(1)
	c.weight.Add(int64(call.Endpoint.Weight.Larger()))
	resp, err := client.Do(req)
	if err != nil {
		return Received{Left: w.left()}, cause(ctx, err)
	}
	defer resp.Body.Close()
	body, err := readBody(resp.Body)
	return Received{resp.StatusCode, resp.Header, body, c.cfg.Now(), true}, cause(ctx, err)
}

var (
	errNoAnswer = errors.New("the exchange took too long to answer")
	errNoTurn   = errors.New("the call did not get its turn")
)

// cause replaces one of our timeouts with its reason, and removes the address and its query
// from a net/http error.
func cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if reason := context.Cause(ctx); errors.Is(reason, errNoAnswer) {
		return reason
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// request builds and signs one try. The timestamp that was signed is the one sent.
func (c *Sender) request(ctx context.Context, call APICall) (*http.Request, error) {
	e := call.Endpoint
	base, path := c.cfg.BaseURL, cmp.Or(call.Path, e.PathIn(c.cfg.APIVersion))
	if e.Contract {
		base = c.cfg.ContractBaseURL
	}
	target := base + path
	if call.Query != "" {
		target += "?" + call.Query
	}
	req, err := http.NewRequestWithContext(ctx, e.Method, target, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	// When a kept connection breaks, net/http repeats a request if it can read the
	// body twice. The budget would not count it, and an order would be placed twice.
	// So no body can be read twice, not even the empty one of a GET.
	req.GetBody = nil
	req.Body = io.NopCloser(strings.NewReader(call.Body))
	req.ContentLength = int64(len(call.Body))
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	req.Header.Set("Accept", "application/json")
	if e.Signed {
		now, _ := c.clock.now()
		c.protocol.Authorize(req, Signable{Method: e.Method, Path: path, Query: call.Query, Body: call.Body, At: now}, c.cfg)
	}
	return req, nil
}

// lost returns the error for an answer that did not arrive completely.
func (c *Sender) lost(ctx context.Context, e Endpoint, status int, err error) *Error {
	if errors.Is(err, errBodyTooLarge) {
		failure := e.Fail(ClassMalformed, err.Error(), HintBase, err)
		failure.Status = status
		return failure
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return e.Fail(ClassTransport, c.Sanitize(err.Error()), HintNetwork, err)
}

// headerInt returns the value of a numeric header, or -1.
func headerInt(h http.Header, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(h.Get(name)))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// IsSuccess reports whether status is 2xx.
func IsSuccess(status int) bool {
	return status >= http.StatusOK && status < http.StatusMultipleChoices
}

// LeftNothing reports whether an error of a forwarded call proves that nothing was sent: a
// broken rule, missing credentials, a turn that did not come, or no connection. For order
// calls use the outcome.
func LeftNothing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	dial, dialled := errors.AsType[*net.OpError](err)
	return e.Status == 0 && (e.Class == ClassRequest || e.Class == ClassAuth || errors.Is(err, errNoTurn) || dialled && dial.Op == "dial")
}
