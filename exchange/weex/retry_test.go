package weex

import (
	"rebatedesk/exchange"

	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

func hangUp(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// cutOff announces a longer body than it sends.
func cutOff(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "10000")
	says(200, goodPage[:100])(w, r)
}

// brokenRefusal is a 429 whose body never arrives.
func brokenRefusal(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "10000")
	says(429, ``)(w, r)
}

// A reading call is repeated after a temporary fault.
func TestRetries(t *testing.T) {
	for name, first := range map[string]http.HandlerFunc{
		"500":            says(500, `{"code":"40015","msg":"system error"}`),
		"502 web page":   says(502, "<html>"),
		"200 web page":   says(200, "<html>"),
		"429":            says(429, `{"code":"429","msg":"too many"}`),
		"40015":          says(400, `{"code":"40015","msg":"system error"}`),
		"truncated JSON": says(200, goodPage[:200]),
		"cut off":        cutOff,
		"429 cut off":    brokenRefusal,
		"hang up":        hangUp,
		"missing list":   says(200, `{"code":"200","data":{"total":1}}`),
	} {
		f := serve(t, first, first, says(200, goodPage))
		c := dial(t, f)
		p, err := c.Commissions(t.Context(), CommissionQuery{})
		if err != nil || len(p.Records) != 1 {
			t.Errorf("%s: %d records, %v", name, len(p.Records), err)
		}
		if u := c.Usage(); len(f.seen()) != 3 || u.Requests != 3 || u.Weight != 60 {
			t.Errorf("%s: %d requests, %+v", name, len(f.seen()), u)
		}
	}
}

// net/http repeats neither POST nor GET when a kept connection breaks. Otherwise the
// budget would count only one of two requests.
func TestNoSilentResend(t *testing.T) {
	for _, call := range calls {
		f := serve(t, says(200, `{"list":[]}`), hangUp)
		c := dial(t, f, func(cfg *exchange.Config) { cfg.Tries = 1 })
		if _, err := call.do(c); err != nil {
			t.Fatal(err)
		}
		_, err := call.do(c) // on the kept connection
		if exchange.ClassOf(err) != exchange.ClassTransport || len(f.seen()) != 2 || c.Usage().Requests != 2 {
			t.Errorf("%s: %d requests, %+v, %v", call.name, len(f.seen()), c.Usage(), err)
		}
	}
}

// A GET has no body on the wire, and a POST one of known length, in HTTP/1 and 2.
func TestBodiesOnTheWire(t *testing.T) {
	for _, major := range []int{1, 2} {
		f := &fakeExchange{answers: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			if len(r.TransferEncoding) > 0 || r.Method == http.MethodGet && r.Header.Get("Content-Length") != "" || r.ProtoMajor != major {
				t.Errorf("%s over %s: transfer encoding %v, length %d", r.Method, r.Proto, r.TransferEncoding, r.ContentLength)
			}
			says(200, `{"list":[]}`)(w, r)
		}}}
		f.Server = httptest.NewUnstartedServer(f)
		f.EnableHTTP2 = major == 2
		f.StartTLS()
		defer f.Close()
		c := dial(t, f, trusting(f))
		for _, call := range calls {
			if _, err := call.do(c); err != nil {
				t.Errorf("HTTP/%d: %s: %v", major, call.name, err)
			}
		}
		for _, r := range f.seen() {
			if r.method == http.MethodGet && r.body != "" || r.method == http.MethodPost && r.header.Get("Content-Length") != strconv.Itoa(len(r.body)) {
				t.Errorf("HTTP/%d: %s with body %q, length %q", major, r.method, r.body, r.header.Get("Content-Length"))
			}
		}
	}
}

// A certificate of an unknown authority ends the call before anything is sent.
func TestUnknownCertificate(t *testing.T) {
	f := &fakeExchange{answers: []http.HandlerFunc{says(200, goodPage)}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.StartTLS()
	defer f.Close()
	_, err := dial(t, f).Commissions(t.Context(), CommissionQuery{})
	if exchange.ClassOf(err) != exchange.ClassTransport || len(f.seen()) != 0 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%d requests, %v", len(f.seen()), err)
	}
}

func TestGivesUpAfterTries(t *testing.T) {
	f := serve(t, hangUp)
	_, err := dial(t, f, func(cfg *exchange.Config) { cfg.Tries = 4 }).SubAffiliateDays(t.Context(), SubAffiliateQuery{})
	if exchange.ClassOf(err) != exchange.ClassTransport || len(f.seen()) != 4 {
		t.Errorf("%d requests, %v", len(f.seen()), err)
	}
	if !strings.Contains(err.Error(), "no answer") || strings.Contains(err.Error(), "?") {
		t.Errorf("%v", err)
	}
}

func TestConnectionRefused(t *testing.T) {
	_, err := dial(t, serve(t, says(200, goodPage)), nobody).Commissions(t.Context(), CommissionQuery{})
	var op *net.OpError
	if exchange.ClassOf(err) != exchange.ClassTransport || !errors.As(err, &op) {
		t.Errorf("%v", err)
	}
}

// After a 429 every call of the same budget waits, not only the refused one.
func TestBanIsShared(t *testing.T) {
	const ban = 150 * time.Millisecond
	var banned atomic.Int64
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		banned.Store(time.Now().UnixNano())
		says(429, ``)(w, r)
	}, says(200, goodPage))
	budget := exchange.NewBudget(1000)
	share := func(cfg *exchange.Config) { cfg.Budget, cfg.BanWait = budget, ban }
	one, other := dial(t, f, share), dial(t, f, share)
	done := make(chan error, 1)
	go func() {
		_, err := one.Commissions(background, CommissionQuery{})
		done <- err
	}()
	for budget.State().BannedUntil.IsZero() && t.Context().Err() == nil {
		select {
		case err := <-done:
			t.Fatalf("the call ended without a ban: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := other.ServerTime(t.Context()); exchange.ClassOf(err) != exchange.ClassMalformed { // the page contains no time
		t.Errorf("%v", err)
	}
	if waited := time.Since(time.Unix(0, banned.Load())); waited < ban {
		t.Errorf("the other client went %v after the 429", waited)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if one.Usage().RateLimited != 1 || other.Usage().RateLimited != 0 {
		t.Errorf("%+v, %+v", one.Usage(), other.Usage())
	}
}

// A 429 counts as one even if its body is incomplete.
func TestBrokenRefusalBans(t *testing.T) {
	c := dial(t, serve(t, brokenRefusal, says(200, goodPage)))
	begin := time.Now()
	if _, err := c.Commissions(t.Context(), CommissionQuery{}); err != nil {
		t.Fatal(err)
	}
	if c.Usage().RateLimited != 1 || time.Since(begin) < 20*time.Millisecond {
		t.Errorf("%+v after %v", c.Usage(), time.Since(begin))
	}
}

// Only reading calls are repeated.
func TestWritingCallsAreSentOnce(t *testing.T) {
	for _, first := range []http.HandlerFunc{hangUp, says(500, ``), says(429, ``), says(400, `{"code":"40008"}`), says(200, `<`)} {
		f := serve(t, first)
		e := endpointNamed(endpointSubAffiliateDays)
		e.Reading = false
		_, err := transport.Perform(t.Context(), dial(t, f).t, transport.APICall{Endpoint: e, Body: "{}"}, func() wire.NoPayload { return wire.NoPayload{} })
		if exchange.ClassOf(err) == "" || len(f.seen()) != 1 {
			t.Errorf("%d requests, %v", len(f.seen()), err)
		}
	}
}

// A cancelled context ends a call at once, in every phase.
func TestCancel(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	full := spentBudget(t)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		change func(*exchange.Config)
	}{
		"while the exchange thinks":     {slow, func(*exchange.Config) {}},
		"between two tries":             {says(500, ``), func(c *exchange.Config) { c.Backoff = time.Hour }},
		"while waiting for a turn":      {slow, func(c *exchange.Config) { c.Budget = full }},
		"while banned":                  {says(429, ``), func(c *exchange.Config) { c.BanWait = time.Hour }},
		"while the clock is being read": {says(400, `{"code":"40008"}`), func(c *exchange.Config) { c.Backoff, c.Tries = time.Hour, 9 }},
	} {
		for reason, begin := range map[error]func() (context.Context, context.CancelFunc){
			context.DeadlineExceeded: func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(background, 30*time.Millisecond)
			},
			context.Canceled: func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(background)
				time.AfterFunc(30*time.Millisecond, cancel)
				return ctx, cancel
			},
		} {
			c := dial(t, serve(t, test.answer, says(500, ``)), test.change)
			ctx, cancel := begin()
			started := time.Now()
			_, err := c.Commissions(ctx, CommissionQuery{})
			cancel()
			if !errors.Is(err, reason) || !strings.Contains(err.Error(), "4.17") && !strings.Contains(err.Error(), "server time") {
				t.Errorf("%s: %v, want %v", name, err, reason)
			}
			if took := time.Since(started); took > 3*time.Second {
				t.Errorf("%s: %v", name, took)
			}
		}
	}
}

// A timeout of one try is an error of the exchange, not of the caller.
func TestTimeoutOfOneTry(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, first := range []http.HandlerFunc{drip, silent} {
		f := serve(t, first)
		_, err := dial(t, f, func(c *exchange.Config) { c.Timeout, c.Tries = 50*time.Millisecond, 2 }).Commissions(t.Context(), CommissionQuery{})
		if exchange.ClassOf(err) != exchange.ClassTransport || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "too long") {
			t.Errorf("%v", err)
		}
		if len(f.seen()) != 2 {
			t.Errorf("%d tries", len(f.seen()))
		}
	}
}

// Connections are kept, because the exchange counts new ones.
func TestConnectionsAreKept(t *testing.T) {
	var opened atomic.Int64
	f := &fakeExchange{answers: []http.HandlerFunc{says(400, `{"code":"40020","msg":"no"}`), says(200, goodPage)}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	f.Start()
	defer f.Close()
	c := dial(t, f)
	for range 20 {
		_, err := c.Commissions(t.Context(), CommissionQuery{})
		if err != nil && exchange.ClassOf(err) != exchange.ClassValidation {
			t.Fatal(err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for 20 calls", opened.Load())
	}
}

// The log contains no credentials, at any level.
func TestLogHasNoSecrets(t *testing.T) {
	var out bytes.Buffer
	f := serve(t,
		says(500, `{"code":"40015","msg":"your key is `+canaryKey.Reveal()+` `+canarySecret.Reveal()+`"}`),
		says(200, `<html>`+canaryPassphrase.Reveal()), hangUp, says(429, canaryKey.Reveal()), says(200, goodPage))
	c := dial(t, f, func(cfg *exchange.Config) {
		cfg.Tries = 9
		cfg.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	if _, err := c.Commissions(t.Context(), CommissionQuery{}); err != nil {
		t.Fatal(err)
	}
	assertNoCanary(t, out.String())
	if strings.Count(out.String(), "level=WARN") != 4 || !strings.Contains(out.String(), "level=DEBUG") {
		t.Errorf("the log:\n%s", out.String())
	}
}
