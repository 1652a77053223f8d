package simulator

import (
	"net/http"
	"sync"
	"time"
)

const (
	perTenSeconds = 500
	patience      = 3 // refusals of an endpoint before the address is banned
)

// limits count the calls to each endpoint, and ban an address that goes on.
type limits struct {
	most int

	mu      sync.Mutex
	calls   map[string][]time.Time
	refused int
}

// take counts a call. Its status is 0 if it may go on, and wait is in seconds.
func (l *limits) take(path string, now time.Time) (status, wait int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.calls[path]
	for len(calls) > 0 && now.Sub(calls[0]) > 10*time.Second {
		calls = calls[1:]
	}
	if len(calls) < l.most {
		l.calls[path] = append(calls, now)
		return 0, 0
	}
	l.calls[path] = calls
	if l.refused++; l.refused > patience {
		return http.StatusTeapot, 3 * 24 * 60 * 60
	}
	return http.StatusTooManyRequests, int(10 - now.Sub(calls[0]).Seconds() + 1)
}

// Refused returns how many calls came too fast.
func (s *Server) Refused() int {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	return s.limits.refused
}
