package simulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is a simulator that listens. Both addresses are equal; the credentials are those
// required by its signed calls.
type Server struct {
	*Simulator
	BaseURL, ContractBaseURL         string
	APIKey, APISecret, APIPassphrase string
	// A second key of the same account, see Options.SeparateTrading.
	TradingAPIKey, TradingAPISecret, TradingAPIPassphrase string

	close func() error
}

// Listen starts a simulator on a TCP address, such as 127.0.0.1:0 for any free
// port. The programme is ready before it returns.
func Listen(addr string, o Options) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("start the exchange simulator: %w", err)
	}
	sim := New(o)
	url := "http://" + listener.Addr().String()
	keys, trading := sim.Credentials(), sim.TradingCredentials()
	s := &Server{
		Simulator:       sim,
		BaseURL:         url,
		ContractBaseURL: url,
		APIKey:          keys.APIKey.Reveal(),
		APISecret:       keys.APISecret.Reveal(),
		APIPassphrase:   keys.APIPassphrase.Reveal(),

		TradingAPIKey:        trading.APIKey.Reveal(),
		TradingAPISecret:     trading.APISecret.Reveal(),
		TradingAPIPassphrase: trading.APIPassphrase.Reveal(),
	}
	server := &http.Server{
		Handler:           sim,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	s.close = sync.OnceValue(func() error { return stop(server, done) })
	return s, nil
}

// closeWait is how long Close lets running answers finish.
const closeWait = 5 * time.Second

// Close stops listening, lets running answers finish and aborts those that take too long.
// Calling it again returns the same result.
func (s *Server) Close() error { return s.close() }

func stop(server *http.Server, done <-chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	err := server.Shutdown(ctx)
	if err != nil {
		err = server.Close()
	}
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
