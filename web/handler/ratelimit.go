package handler

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// RateLimiter limits each key to a burst, and after that to one event per interval.
type RateLimiter struct {
	Every  time.Duration
	AtOnce int
	mutex  sync.Mutex
	of     map[string]*rate.Limiter
}

// maxLimiters limits the number of keys in memory. Beyond it, all of them start over.
const maxLimiters = 10_000

// Take counts one event. If it exceeds the limit, Take returns how long to wait.
func (s *RateLimiter) Take(who string) time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of == nil || len(s.of) >= maxLimiters {
		s.of = map[string]*rate.Limiter{}
	}
	if s.of[who] == nil {
		s.of[who] = rate.NewLimiter(rate.Every(s.Every), s.AtOnce)
	}
	reserved := s.of[who].Reserve()
	wait := reserved.Delay()
	if wait > 0 {
		reserved.Cancel()
	}
	return wait
}

// Network returns the key of an address: an IPv4 address, or an IPv6 /64, because a
// client with one address of that network has all of them.
func Network(from netip.Addr) string {
	if from.Is6() {
		if prefix, err := from.Prefix(64); err == nil {
			from = prefix.Addr()
		}
	}
	return from.String()
}
