package simulated

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
)

// Faults makes some answers of a handler those of a bad network or server: the first of them after
// one, and then every n-th. Every is n; 0 = none.
type Faults struct {
	Every int
	Seed  uint64

	// Refuse writes the exchange's answer to too many calls.
	Refuse http.HandlerFunc

	mu    sync.Mutex
	calls int
	rng   *rand.Rand
}

// Wrap returns a handler with the faults: refusals for too many calls, errors of a server, pages of
// a proxy, bodies that end early.
func (f *Faults) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch f.next() {
		case 1:
			f.Refuse(w, r)
		case 2:
			http.Error(w, "", http.StatusBadGateway)
		case 3:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html><body>We are improving our service.</body></html>")) // a client that is gone
		case 4:
			cut(w, r, h)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// next returns the fault of a call, 0 for none.
func (f *Faults) next() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rng == nil {
		f.rng = rand.New(rand.NewPCG(f.Seed, 2))
	}
	if f.calls++; f.Every == 0 || f.calls%f.Every != 1 || f.calls == 1 {
		return 0
	}
	return 1 + f.rng.IntN(4)
}

// cut sends half of an answer.
func cut(w http.ResponseWriter, r *http.Request, h http.Handler) {
	whole := httptest.NewRecorder()
	h.ServeHTTP(whole, r)
	for name, values := range whole.Header() {
		w.Header()[name] = values
	}
	body := whole.Body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(whole.Code)
	_, _ = w.Write(body[:len(body)/2]) // a client that is gone
}
