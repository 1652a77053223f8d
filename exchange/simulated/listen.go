package simulated

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Exchange is a simulated exchange.
type Exchange interface {
	Handler() http.Handler
	Credentials() (key, secret, passphrase string)
}

// Server is a simulated exchange that listens.
type Server struct {
	BaseURL string
	server  *http.Server
	failed  chan error
}

// Listen serves an exchange on an address, host:port; port 0 takes a free one.
func Listen(address string, e Exchange) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{BaseURL: "http://" + listener.Addr().String(), failed: make(chan error, 1),
		server: &http.Server{Handler: e.Handler(), ReadHeaderTimeout: 10 * time.Second}}
	go func() { s.failed <- s.server.Serve(listener) }()
	return s, nil
}

// Close ends it, and waits for calls under way.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		return err
	}
	if err := <-s.failed; err != nil && err != http.ErrServerClosed {
		return err
	}
	return nil
}
