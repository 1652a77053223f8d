package weex

import (
	"rebatedesk/exchange"

	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The matrix gives the outcome of an order call for every possible fault of its answer,
// and checks that the order was executed as often as it was sent: once. If the exchange
// reset the connection before reading, it executed nothing, and the order may have been
// sent or not.
func TestOutcomeMatrix(t *testing.T) {
	other := listenRaw(t, replies(packed("200 OK", wrap(`{"orderId":7}`))))
	refusal := `{"code":"50004","msg":"not permitted","requestTime":1756103438804,"data":null}`
	for name, test := range map[string]struct {
		serve    func(ok string) func(*rawConn)
		want     OutcomeState // empty: the outcome of success
		executed int
	}{
		"success":          {func(ok string) func(*rawConn) { return replies(packed("200 OK", ok)) }, "", 1},
		"success, created": {func(ok string) func(*rawConn) { return replies(packed("201 Created", ok)) }, "", 1},
		"early hints first": {func(ok string) func(*rawConn) {
			return replies("HTTP/1.1 103 Early Hints\r\n\r\n" + packed("200 OK", ok))
		}, "", 1},
		"refused":              {func(string) func(*rawConn) { return replies(packed("400 Bad Request", refusal)) }, Refused, 1},
		"refused with 200":     {func(string) func(*rawConn) { return replies(packed("200 OK", refusal)) }, Refused, 1},
		"refused timestamp":    {func(string) func(*rawConn) { return replies(packed("400 Bad Request", `{"code":"40008"}`)) }, Refused, 1},
		"rate limit":           {func(string) func(*rawConn) { return replies(packed("429 Too Many Requests", `{"code":"429"}`)) }, Refused, 1},
		"rate limit, web page": {func(string) func(*rawConn) { return replies(packed("429 Too Many Requests", `<html>slow down`)) }, Refused, 1},
		"system error":         {func(string) func(*rawConn) { return replies(packed("400 Bad Request", `{"code":"40015"}`)) }, Unknown, 1},
		"refused with 500":     {func(string) func(*rawConn) { return replies(packed("500 Error", refusal)) }, Unknown, 1},
		"success with 500":     {func(ok string) func(*rawConn) { return replies(packed("500 Error", ok)) }, Unknown, 1},
		"success with 400":     {func(ok string) func(*rawConn) { return replies(packed("400 Bad Request", ok)) }, Unknown, 1},
		"request timeout":      {func(string) func(*rawConn) { return replies(packed("408 Request Timeout", refusal)) }, Unknown, 1},
		"unknown path":         {func(string) func(*rawConn) { return replies(packed("404 Not Found", `{"error":"Not Found"}`)) }, Unknown, 1},
		"gateway":              {func(string) func(*rawConn) { return replies(packed("502 Bad Gateway", `<html>`)) }, Unknown, 1},
		"forbidden web page":   {func(string) func(*rawConn) { return replies(packed("403 Forbidden", `<html>`)) }, Unknown, 1},
		"web page":             {func(string) func(*rawConn) { return replies(packed("200 OK", `<html>maintenance</html>`)) }, Unknown, 1},
		"nothing":              {func(string) func(*rawConn) { return replies(packed("200 OK", ``)) }, Unknown, 1},
		"no content":           {func(string) func(*rawConn) { return replies("HTTP/1.1 204 No Content\r\n\r\n") }, Unknown, 1},
		"empty object":         {func(string) func(*rawConn) { return replies(packed("200 OK", `{}`)) }, Unknown, 1},
		"cut off, well packed": {func(ok string) func(*rawConn) { return replies(packed("200 OK", cut(ok))) }, Unknown, 1},
		"cut off refusal":      {func(string) func(*rawConn) { return replies(packed("400 Bad Request", cut(refusal))) }, Unknown, 1},
		"something behind":     {func(ok string) func(*rawConn) { return replies(packed("200 OK", ok+`x`)) }, Unknown, 1},
		"half an answer":       {func(ok string) func(*rawConn) { return once(func(w *rawConn) { w.say(cut(packed("200 OK", ok))) }) }, Unknown, 1},
		"all but the last byte": {func(ok string) func(*rawConn) {
			return once(func(w *rawConn) { a := packed("200 OK", ok); w.say(a[:len(a)-1]) })
		}, Unknown, 1},
		"refusal, body too short": {func(string) func(*rawConn) {
			return once(func(w *rawConn) {
				w.say(strings.Replace(packed("400 Bad Request", refusal), "Length: ", "Length: 9", 1))
			})
		}, Unknown, 1},
		"half a header":         {func(string) func(*rawConn) { return once(func(w *rawConn) { w.say("HTTP/1.1 200 OK\r\nConte") }) }, Unknown, 1},
		"not HTTP":              {func(string) func(*rawConn) { return once(func(w *rawConn) { w.say("SSH-2.0-OpenSSH\r\n") }) }, Unknown, 1},
		"bad gzip":              {func(ok string) func(*rawConn) { return replies(packed("200 OK", ok, "Content-Encoding: gzip")) }, Unknown, 1},
		"closed after reading":  {func(string) func(*rawConn) { return once(func(*rawConn) {}) }, Unknown, 1},
		"reset after reading":   {func(string) func(*rawConn) { return once((*rawConn).reset) }, Unknown, 1},
		"reset before reading":  {func(string) func(*rawConn) { return (*rawConn).reset }, "either", 0},
		"closed before reading": {func(string) func(*rawConn) { return func(*rawConn) {} }, "either", 0},
		"silence":               {func(string) func(*rawConn) { return once(func(w *rawConn) { <-w.exchange.stop }) }, Unknown, 1},
		"silence after a header": {func(string) func(*rawConn) {
			return once(func(w *rawConn) { w.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"); <-w.exchange.stop })
		}, Unknown, 1},
		"redirect 301": {func(string) func(*rawConn) { return replies(packed("301 Moved", ``, "Location: "+other.URL)) }, Unknown, 1},
		"redirect 303": {func(string) func(*rawConn) { return replies(packed("303 See Other", refusal, "Location: "+other.URL)) }, Unknown, 1},
		"redirect 307": {func(string) func(*rawConn) {
			return replies(packed("307 Temporary Redirect", refusal, "Location: "+other.URL))
		}, Unknown, 1},
		"redirect 308": {func(ok string) func(*rawConn) {
			return replies(packed("308 Permanent Redirect", ok, "Location: "+other.URL))
		}, Unknown, 1},
	} {
		for _, call := range orderCalls {
			t.Run(name+"/"+call.name, func(t *testing.T) {
				x := listenRaw(t, test.serve(call.ok))
				c := dialRaw(t, x, func(cfg *exchange.Config) {
					if strings.HasPrefix(name, "silence") {
						cfg.Timeout = 60 * time.Millisecond
					}
				})
				got := call.do(c)
				want := test.want
				switch {
				case want == "":
					want = call.want
				case want == "either" && !got.Evidence.Sent:
					want = NotSent
				case want == "either":
					want = Unknown
				}
				if got.State != want || got.Evidence.Sent != (want != NotSent) {
					t.Errorf("%+v, want %s", got, want)
				}
				if (got.Evidence.Err == nil) != (got.State == call.want) || got.State != call.want && got.Evidence.Class == "" {
					t.Errorf("the evidence is wrong: %+v", got)
				}
				if n, _ := x.seen(); n != test.executed {
					t.Errorf("executed %d times, want %d", n, test.executed)
				}
				if n := c.Usage().Requests; n != 1 {
					t.Errorf("sent %d times", n)
				}
			})
		}
	}
	if n, _ := other.seen(); n != 0 {
		t.Errorf("%d orders reached the other host", n)
	}
}

// This test covers the orders that provably were not sent.
func TestNotSent(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = quiet
	untrusted.StartTLS()
	defer untrusted.Close()
	full := spentBudget(t)
	ended, cancel := context.WithCancel(background)
	cancel()
	short, cancel := context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	for name, test := range map[string]struct {
		ctx    context.Context
		class  exchange.Class
		change func(*exchange.Config)
	}{
		"nobody listens":         {background, exchange.ClassTransport, nobody},
		"no such name":           {background, exchange.ClassTransport, func(c *exchange.Config) { c.BaseURL = "https://exchange.invalid" }},
		"unknown certificate":    {background, exchange.ClassTransport, func(c *exchange.Config) { c.BaseURL = untrusted.URL }},
		"no HTTPS there":         {background, exchange.ClassTransport, func(c *exchange.Config) { c.BaseURL = strings.Replace(c.BaseURL, "http:", "https:", 1) }},
		"given up before":        {ended, exchange.ClassTransport, func(*exchange.Config) {}},
		"given up in the queue":  {short, exchange.ClassTransport, func(c *exchange.Config) { c.Budget = full }},
		"credentials incomplete": {background, exchange.ClassAuth, func(c *exchange.Config) { c.Secret = "" }},
	} {
		f := serve(t, says(200, wrap(`{"orderId":7}`)))
		f.Config.ErrorLog = quiet
		got := dial(t, f, test.change).PlaceOrder(test.ctx, pair, goodOrder)
		if got.State != NotSent || got.Evidence.Sent || got.Evidence.Class != test.class || got.Evidence.Err == nil {
			t.Errorf("%s: %+v", name, got)
		}
		if n := len(f.seen()); n != 0 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// If a caller gives up after the bytes were sent, the outcome is unknown.
func TestGivingUpAfterSending(t *testing.T) {
	arrived := make(chan struct{})
	x := listenRaw(t, once(func(w *rawConn) { close(arrived); <-w.exchange.stop }))
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	go func() { <-arrived; cancel() }()
	if got := dialRaw(t, x).PlaceOrder(ctx, pair, goodOrder); got.State != Unknown || !got.Evidence.Sent {
		t.Errorf("%+v", got)
	}
}

// The exchange closes kept connections at the worst moments. Every order is executed at
// most once: exactly once if it is reported as placed, and never if it is reported as not
// sent.
func TestConnectionsThatBreakBetweenOrders(t *testing.T) {
	var n atomic.Int64
	x := listenRaw(t, func(w *rawConn) {
		for w.execute() {
			w.say(packed("200 OK", wrap(`{"orderId":7}`)))
			switch n.Add(1) % 3 {
			case 0:
				w.reset()
			case 1:
				return
			}
		}
	})
	c := dialRaw(t, x)
	count := map[OutcomeState]int{}
	for i := range 300 {
		o := goodOrder
		o.ClientOrderID = fmt.Sprintf("mine-%d", i)
		before, _ := x.seen()
		got := c.PlaceOrder(background, pair, o)
		after, _ := x.seen()
		count[got.State]++
		if executed := after - before; got.State == Placed && executed != 1 || got.State == NotSent && executed != 0 || got.State == Refused {
			t.Errorf("order %d: executed %d times: %+v", i, executed, got)
		}
	}
	if _, twice := x.seen(); twice || count[Placed] < 150 {
		t.Errorf("executed twice: %v; %v", twice, count)
	}
}

// Orders work over TLS and through the gate, with HTTP/1.1.
func TestOrdersOverTLS(t *testing.T) {
	f := &fakeExchange{answers: []http.HandlerFunc{
		says(200, wrap(`{"orderId":7}`)),
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}}
	f.Server = httptest.NewUnstartedServer(f)
	f.EnableHTTP2 = true
	var protocol atomic.Value
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol.Store(r.Proto)
		f.ServeHTTP(w, r)
	})
	f.StartTLS()
	defer f.Close()
	c := dial(t, f, trusting(f))
	for i, want := range []OutcomeState{Placed, Unknown} {
		if got := c.PlaceOrder(background, pair, goodOrder); got.State != want || !got.Evidence.Sent {
			t.Errorf("order %d: %+v", i, got)
		}
	}
	if len(f.seen()) != 2 || protocol.Load() != "HTTP/1.1" {
		t.Errorf("%d orders by %v", len(f.seen()), protocol.Load())
	}
}

// If the preflight check fails when the call's turn has come, no order call is sent; if
// it passes, the call is sent.
func TestPreflight(t *testing.T) {
	f := serve(t, says(200, wrap(`{"orderId":7,"clientOrderId":"mine-1"}`)))
	budget := exchange.NewBudget(1000)
	c := dial(t, f, func(cfg *exchange.Config) { cfg.Budget = budget })
	stop := errors.New("sending is stopped")
	checked := 0
	refuse := WithPreflight(func(context.Context) error {
		checked++
		if budget.State().Used == 0 {
			t.Error("the check ran before the call had its turn")
		}
		return stop
	})
	for name, got := range map[string]Outcome{
		"place":        c.PlaceOrder(background, pair, goodOrder, refuse),
		"batch place":  c.PlaceOrders(background, pair, []NewOrder{goodOrder}, refuse)[0],
		"cancel":       c.CancelOrder(background, pair, OrderRef{OrderID: "7"}, refuse),
		"batch cancel": c.CancelOrders(background, pair, OrderRefs{OrderIDs: []string{"7"}}, refuse)[0],
		"trigger":      c.PlaceTrigger(background, goodTrigger, refuse),
	} {
		if got.State != NotSent || got.Evidence.Sent || !errors.Is(got.Evidence.Err, stop) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := len(f.seen()); n != 0 || checked != 5 {
		t.Errorf("%d requests sent, %d checks", n, checked)
	}
	pass := WithPreflight(func(context.Context) error { return nil })
	if got := c.PlaceOrder(background, pair, goodOrder, pass); got.State != Placed || len(f.seen()) != 1 {
		t.Errorf("%+v, %d requests", got, len(f.seen()))
	}
}

// A refusal with an invalid value leaves the outcome of the order unknown, because the
// value may be the id of an order.
func TestGarbledRefusal(t *testing.T) {
	for _, data := range []string{`{"clientOrderId":{},"orderId":"7"}`, `{"orderId":1.5}`} {
		body := `{"code":"50004","msg":"not permitted","data":` + data + `}`
		c := dial(t, serve(t, says(400, body)))
		if got := c.PlaceOrder(background, pair, goodOrder); got.State != Unknown {
			t.Errorf("%s: %+v", data, got)
		}
	}
}
