package collectortest

import (
	"cmp"
	"net/http"
	"slices"
	"sync"

	"rebatedesk/exchange/simulated"
)

// Reply is what a [Scripted] exchange answers.
type Reply struct {
	Status int // 0 = 200
	Header map[string]string
	Body   string
}

// Scripted is an exchange that answers each call with what a test says.
type Scripted struct {
	Key, Secret, Passphrase string

	// Answer is called for one call after the other.
	Answer func(r *http.Request) Reply

	mu    sync.Mutex
	calls []string
}

// Credentials are those of the account.
func (s *Scripted) Credentials() (key, secret, passphrase string) {
	return cmp.Or(s.Key, "key"), cmp.Or(s.Secret, "secret"), s.Passphrase
}

// Calls are the paths with queries of the calls so far.
func (s *Scripted) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Handler answers calls.
func (s *Scripted) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls = append(s.calls, r.RequestURI)
		reply := s.Answer(r)
		w.Header().Set("Content-Type", "application/json")
		for name, value := range reply.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(cmp.Or(reply.Status, http.StatusOK))
		_, _ = w.Write([]byte(reply.Body)) // a client that is gone
	})
}

// Cancelled makes an exchange end a run with one of its calls.
func Cancelled(e simulated.Exchange, call int, cancel func()) simulated.Exchange {
	key, secret, passphrase := e.Credentials()
	inner, calls := e.Handler(), 0
	var mu sync.Mutex
	return handled{key, secret, passphrase, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if calls++; calls == call {
			cancel()
		}
		mu.Unlock()
		inner.ServeHTTP(w, r)
	})}
}

type handled struct {
	key, secret, passphrase string
	handler                 http.Handler
}

func (h handled) Credentials() (key, secret, passphrase string) {
	return h.key, h.secret, h.passphrase
}

func (h handled) Handler() http.Handler { return h.handler }
