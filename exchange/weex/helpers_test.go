package weex

import (
	"rebatedesk/exchange"

	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// No error, log or answer may contain these credentials.
const (
	canaryKey        = exchange.Secret("canary-key-7c1f")
	canarySecret     = exchange.Secret("canary-secret-93ab")
	canaryPassphrase = exchange.Secret("canary-passphrase-e05d")
)

// request is a request that arrived at the server.
type request struct {
	method, path, query, body string
	header                    http.Header
}

// fakeExchange is a real HTTP server that answers each call with the next of its answers,
// and with the last one from then on.
type fakeExchange struct {
	*httptest.Server
	mu       sync.Mutex
	answers  []http.HandlerFunc
	requests []request
}

func (f *fakeExchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	f.mu.Lock()
	f.requests = append(f.requests, request{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header.Clone()})
	answer := f.answers[min(len(f.requests), len(f.answers))-1]
	f.mu.Unlock()
	answer(w, r)
}

// seen returns the requests that have arrived.
func (f *fakeExchange) seen() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]request(nil), f.requests...)
}

func serve(t testing.TB, answers ...http.HandlerFunc) *fakeExchange {
	t.Helper()
	f := &fakeExchange{answers: answers}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// says answers with a status and a body, and without a date, so that the client's clock
// stays as a test has set it.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Date"] = nil
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may have disconnected
	}
}

// dial returns a client with short pauses for the server.
func dial(t testing.TB, f *fakeExchange, change ...func(*exchange.Config)) *Client {
	t.Helper()
	cfg := exchange.Config{Reach: exchange.Reach{Private: true},
		BaseURL: f.URL, Key: canaryKey, Secret: canarySecret, Passphrase: canaryPassphrase,
		Budget: exchange.NewBudget(1_000_000), Backoff: time.Millisecond, BanWait: 20 * time.Millisecond, Tries: 3,
	}
	for _, c := range change {
		c(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// nobody points a client at a port that nobody listens on. The port of a closed server would
// not do: another server may get it.
func nobody(c *exchange.Config) { c.BaseURL = "http://127.0.0.1:1" }

// trusting makes a client accept the certificate of the server.
func trusting(f *fakeExchange) func(*exchange.Config) {
	return func(cfg *exchange.Config) {
		cfg.RootCAs = f.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	}
}

// spentBudget returns a budget that delays every call for ten seconds.
func spentBudget(t testing.TB) *exchange.Budget {
	t.Helper()
	b := exchange.NewBudget(1)
	c := dial(t, serve(t, says(200, timeAnswer)), func(cfg *exchange.Config) { cfg.Budget = b })
	if _, err := c.ServerTime(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

const timeAnswer = `{"code":"00000","msg":"success","requestTime":1756103438804,"data":"1756103438804"}`

// ask sends one commission call to a server with these answers.
func ask(t testing.TB, answers ...http.HandlerFunc) (*fakeExchange, error) {
	t.Helper()
	f := serve(t, answers...)
	_, err := dial(t, f).Commissions(t.Context(), CommissionQuery{})
	return f, err
}

const (
	goodRow  = `{"uid":"4667776811","dealTime":"1755687731913","coin":"USDT","fee":"0.682571","commission":"0.0682571","rate":"0.1","symbol":"cmt_btcusdt","sourceType":1,"takerAmount":"1137.619","makerAmount":"0"}`
	goodPage = `{"code":"200","data":{"pages":1,"pageSize":100,"total":1,"channelCommissionInfoItems":[` + goodRow + `]},"timestamp":1756103438804}`
)

// quiet discards the log of a server that is expected to complain.
var quiet = log.New(io.Discard, "", 0)

var background = context.Background()

// withHeaders answers a page with used and remaining weight.
func withHeaders(weights [2]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-USED-WEIGHT-10S", weights[0])
		w.Header().Set("X-REMAINING-WEIGHT-10S", weights[1])
		says(200, goodPage)(w, r)
	}
}

func assertNoCanary(t *testing.T, s string) {
	t.Helper()
	for _, c := range []exchange.Secret{canaryKey, canarySecret, canaryPassphrase} {
		for _, form := range []string{c.Reveal(), fmt.Sprintf("%x", c.Reveal()), fmt.Sprintf("%X", c.Reveal())} {
			if at := strings.Index(s, form); at >= 0 {
				t.Errorf("a secret is shown: …%.80s", s[max(0, at-30):])
			}
		}
	}
}

// only returns the records of a page whose records can all be read. A record that was quarantined
// is an error that names its field.
func only[T any](p exchange.Page[T], err error) ([]T, error) {
	if err == nil && len(p.Quarantined) > 0 {
		r := p.Quarantined[0]
		return nil, &exchange.Error{Class: exchange.ClassMalformed, Message: fmt.Sprintf("%q: %s", r.Field, r.Reason)}
	}
	return p.Records, err
}
