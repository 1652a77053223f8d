package summaries

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rateLimiter limits each key to a burst, and after that to one event per interval.
type rateLimiter struct {
	every  time.Duration
	atOnce int
	mutex  sync.Mutex
	of     map[string]*rate.Limiter
}

// maxLimiters limits the number of keys in memory. Beyond it, all of them start over.
const maxLimiters = 10_000

// take counts one event. If it exceeds the limit, take returns how long to wait.
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

// network returns the key of an address: an IPv4 address, or an IPv6 /64, because a
// client with one address of that network has all of them.
func network(from netip.Addr) string {
	if from.Is6() {
		if prefix, err := from.Prefix(64); err == nil {
			from = prefix.Addr()
		}
	}
	return from.String()
}
