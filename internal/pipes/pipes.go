// Package pipes is a network inside the process, for tests in simulated time: a socket of the system
// does not show when it is done waiting. It is for tests only.
package pipes

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Serve answers requests with a handler until the test ends, and returns what dials it, whatever the
// address.
func Serve(tb testing.TB, handler http.Handler) (dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	tb.Helper()
	n := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	served := make(chan error, 1)
	go func() { served <- server.Serve(n) }()
	tb.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil { // waits for answers under way
			tb.Error(err)
		}
		<-served
	})
	return n.dial
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
