package transport

import (
	"sync"
	"time"
)

// longestPause is the longest pause of those that double.
const longestPause = time.Minute

// bans counts the answers in a row by which an exchange refused calls for their number, and keeps
// a pause that is too long to wait for.
type bans struct {
	mu     sync.Mutex
	row    int
	asleep time.Time // by the local clock: nothing is sent before
}

// next returns how long all calls stop: as long as the answer asks, otherwise first, doubled for
// each answer in a row. A pause longer than longestBan is not waited for: calls fail until it is
// over, since a call during a ban makes it longer.
func (b *bans) next(first, asked time.Duration, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	pause := first
	for range b.row {
		pause = min(2*pause, longestPause)
	}
	b.row++
	if asked > longestBan {
		b.asleep = now.Add(asked)
		return pause
	}
	if asked > 0 {
		return asked
	}
	return pause
}

// ended notes an answer that did not refuse the number of calls.
func (b *bans) ended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.row = 0
}

// until returns the time before which nothing may be sent, zero if calls may be sent now.
func (b *bans) until(now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Before(b.asleep) {
		return b.asleep
	}
	return time.Time{}
}
