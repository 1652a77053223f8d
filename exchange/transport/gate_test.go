package transport

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync/atomic"
	"testing"

	"rebatedesk/safehttp"
)

// net/http repeats a GET if a kept connection turns out to be dead, and would repeat an
// order that looked like one. The gate prevents this.
func TestGateStopsReplays(t *testing.T) {
	private := Config{Reach: safehttp.Reach{Private: true}}
	private.Dial = private.dial()
	for name, client := range map[string]*http.Client{"plain": newHTTPClient(private), "gated": newOrderClient(private)} {
		var n atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1) == 2 {
				panic(http.ErrAbortHandler) // the connection breaks once
			}
			_, _ = w.Write([]byte("{}"))
		}))
		defer server.Close()
		get := func() error {
			var w watch
			ctx := t.Context()
			if name == "gated" {
				ctx = w.follow(ctx)
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				return err
			}
			resp, err := client.Do(req)
			if err != nil {
				if !w.left() {
					t.Errorf("%s: the call is reported as not sent", name)
				}
				return err
			}
			_, err = readBody(resp.Body)
			resp.Body.Close()
			return err
		}
		if err := get(); err != nil {
			t.Fatal(err)
		}
		err := get()
		got := int(n.Load())
		if want := map[string]int{"plain": 3, "gated": 2}[name]; got != want || (err != nil) != (name == "gated") {
			t.Errorf("%s: %d requests, want %d; %v", name, got, want, err)
		}
		client.CloseIdleConnections()
	}
}

// A closed gate sends nothing, and reports what was sent before.
func TestGate(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	g := &gate{Conn: near}
	var w watch
	w.got(httptrace.GotConnInfo{Conn: g})
	if w.left() {
		t.Error("nothing was written, but the call is reported as sent")
	}
	if n, err := g.Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("a closed gate sent %d bytes: %v", n, err)
	}
	if w.left() {
		t.Error("a byte that was held back is reported as sent")
	}
	var unproved watch
	unproved.got(httptrace.GotConnInfo{Conn: near})
	if !unproved.left() {
		t.Error("on a connection without a gate the call is reported as not sent")
	}
}
