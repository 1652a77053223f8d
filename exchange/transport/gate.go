package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// ordersIdle is how long an idle connection for orders is kept. It is short because an
// order written to a connection that the exchange is closing has an unknown outcome.
const ordersIdle = 5 * time.Second

// newOrderClient is newHTTPClient for calls that must not be sent twice. It uses HTTP/1.1,
// where a connection carries one call at a time. Each connection is a gate, which can prove
// that nothing was sent.
func newOrderClient(cfg Config) *http.Client {
	client := newHTTPClient(cfg)
	transport := client.Transport.(*http.Transport)
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	transport.ForceAttemptHTTP2 = false
	transport.IdleConnTimeout = ordersIdle
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := cfg.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &gate{Conn: conn}, nil
	}
	return client
}

// gate is a connection that knows whether a call has begun to be written, and that can be
// shut.
type gate struct {
	net.Conn
	mu          sync.Mutex
	call        int // number of the call on the connection
	shut, wrote bool
}

// Write marks the call as written before it passes on the first byte, so that no byte
// leaves unnoticed.
func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	shut := g.shut
	g.wrote = g.wrote || !shut
	g.mu.Unlock()
	if shut {
		return 0, net.ErrClosed
	}
	return g.Conn.Write(b)
}

// begin hands the connection to a call: earlier calls and the TLS handshake no
// longer count.
func (g *gate) begin() (call int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.call++
	g.wrote = false
	return g.call
}

// close shuts the gate permanently and reports whether any byte of the call passed it. A
// connection that already carries another call is left alone: it was given back, and that
// happens only after a complete answer to this call.
func (g *gate) close(call int) bool {
	g.mu.Lock()
	if g.call != call {
		g.mu.Unlock()
		return true
	}
	g.shut = true
	wrote := g.wrote
	g.mu.Unlock()
	// The connection is discarded, so an error from closing it does not matter.
	_ = g.Conn.Close()
	return wrote
}

// watch follows one call through net/http. The call gets one connection. If net/http took a
// second one to send the call again, that one would be shut.
type watch struct {
	mu    sync.Mutex
	gates []passage
	lost  bool // a connection was not a gate: nothing can be proved
}

// passage is one call's use of one gate.
type passage struct {
	*gate
	call int
}

func (w *watch) follow(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: w.got})
}

func (w *watch) got(info httptrace.GotConnInfo) {
	conn := info.Conn
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	g, ok := conn.(*gate)
	if !ok {
		w.lost = true
		return
	}
	p := passage{g, g.begin()}
	if len(w.gates) > 0 {
		g.close(p.call)
	}
	w.gates = append(w.gates, p)
}

// left reports whether bytes of the call may have left this machine. None will leave
// afterwards.
func (w *watch) left() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.lost
	for _, p := range w.gates {
		left = p.close(p.call) || left
	}
	return left
}
