package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"rebatedesk/safehttp"
)

const (
	MaxBody        = 8 << 20  // bytes of an answer, after inflation
	maxHeaderBytes = 64 << 10 // of an answer's headers
	maxConns       = 4        // per host; the exchange counts new connections
	firstBuffer    = 32 << 10 // a full page of commissions fits
)

var errBodyTooLarge = errors.New("the answer is larger than 8 MiB")

// dial is the default for Config.Dial.
func (c Config) dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	return c.Reach.OfExchange(c.BaseURL, c.ContractBaseURL).Dial
}

// newHTTPClient returns a client that ignores proxies in the environment, limits every
// stage and keeps connections alive. It follows no redirects, because they would carry the
// credentials to another host.
func newHTTPClient(cfg Config) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            cfg.Dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: safehttp.Suites(), RootCAs: cfg.RootCAs},
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  20 * time.Second,
			IdleConnTimeout:        90 * time.Second,
			MaxConnsPerHost:        maxConns,
			MaxIdleConnsPerHost:    maxConns,
			MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bodies holds buffers for the answers to reading calls, which a backfill would otherwise
// make for each page.
var bodies = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, firstBuffer)) }}

// readBody reads a complete answer of at most maxBody bytes, counted after inflation. A
// larger one is not drained: closing drops the connection.
func readBody(body io.Reader) ([]byte, error) {
	buffer := bodies.Get().(*bytes.Buffer)
	buffer.Reset()
	n, err := buffer.ReadFrom(io.LimitReader(body, MaxBody+1))
	if err == nil && n > MaxBody {
		err = errBodyTooLarge
	}
	return buffer.Bytes(), err
}

// giveBack takes a body of readBody that nobody reads any more. Unusually large ones are
// not kept.
func giveBack(body []byte) {
	if cap(body) >= firstBuffer && cap(body) <= 8*firstBuffer {
		bodies.Put(bytes.NewBuffer(body))
	}
}
