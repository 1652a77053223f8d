package summaries

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter lets each of many do something so many times at once, and then as often
// as this.
type rateLimiter struct {
	every  time.Duration
	atOnce int
	mutex  sync.Mutex
	of     map[string]*rate.Limiter
}

// maxLimiters is how many are told apart; then all begin anew.
const maxLimiters = 10_000

// take counts one more; where it is too much, it says how long to wait.
func (s *rateLimiter) take(who string) time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of == nil || len(s.of) >= maxLimiters {
		s.of = map[string]*rate.Limiter{}
	}
	if s.of[who] == nil {
		s.of[who] = rate.NewLimiter(rate.Every(s.every), s.atOnce)
	}
	reserved := s.of[who].Reserve()
	wait := reserved.Delay()
	if wait > 0 {
		reserved.Cancel()
	}
	return wait
}

// network is the name of where somebody is: whoever has one address of an IPv6
// network has all of them.
func network(from netip.Addr) string {
	if from.Is6() {
		if prefix, err := from.Prefix(64); err == nil {
			from = prefix.Addr()
		}
	}
	return from.String()
}
