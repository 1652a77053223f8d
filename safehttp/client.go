package safehttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// Within is the time limit of a request, from the first packet to the end of the part of the
	// answer that is read.
	Within = 30 * time.Second
	// answerWithin is how long a receiver may take to begin its answer.
	answerWithin = 20 * time.Second
	// MaxAnswer is how many bytes of an answer are read. The rest is not waited for.
	MaxAnswer = 64 << 10
	// maxHeader limits the headers of an answer, in bytes.
	maxHeader = 32 << 10
)

// Poster sends requests to addresses that users chose. It is safe for concurrent use.
type Poster struct {
	http *http.Client
}

// Options configure a poster.
type Options struct {
	Reach  Reach
	Roots  *x509.CertPool // nil: the system's
	Answer time.Duration  // within which an answer begins; 0: 20 s
}

// NewPoster returns a poster. Each request has its own connection, so that a request is never sent
// a second time by the library and no receiver holds up another.
func NewPoster(o Options) *Poster {
	transport := &http.Transport{
		Proxy:                  nil,
		DialContext:            o.Reach.Dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: Suites(), RootCAs: o.Roots},
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  cmp.Or(o.Answer, answerWithin),
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	return &Poster{&http.Client{Transport: transport, Timeout: Within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Post is a request with a body.
type Post struct {
	URL    string // of [Reach.ParseURL]
	Header http.Header
	Body   []byte
}

// Reply is what a receiver answered. Its body has at most [MaxAnswer] bytes.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send sends a request and reads the answer. An error means that no whole answer arrived, whether
// or not the receiver has acted on the request; it never contains the address.
func (c *Poster) Send(ctx context.Context, p Post) (a Reply, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		return a, errors.New("the address cannot be used")
	}
	request.GetBody = nil // the library must not send it twice
	request.Header = p.Header.Clone()
	answer, err := c.http.Do(request)
	if err != nil {
		return a, plain(err)
	}
	defer answer.Body.Close()
	a = Reply{Status: answer.StatusCode, Header: answer.Header}
	body, broken := io.ReadAll(io.LimitReader(answer.Body, MaxAnswer))
	if a.Body = body; broken != nil {
		a.Body = append(body, " (the answer broke off)"...) // its status has arrived, and decides
	}
	return a, nil
}

// plain removes the address from an error of net/http, because it may hold a secret.
func plain(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	switch {
	case !ok:
		return errors.New("the request could not be made")
	case failed.Timeout():
		return errors.New("the receiver did not answer in time")
	case errors.Is(failed.Err, io.EOF):
		return errors.New("the connection ended without an answer")
	}
	return failed.Err
}
