package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SharedBudget keeps the state of a budget for several processes, such as in a database.
type SharedBudget interface {
	// Change calls f with the state and with the time of a clock that all processes share,
	// and replaces the state by the result. A nil result leaves it as it is. If another
	// process changed the state meanwhile, Change calls f again with the newer one. f is told
	// if changes may be lost, until a result is stored.
	Change(ctx context.Context, f func(state []byte, now time.Time, lost bool) ([]byte, error)) error
}

const (
	// longestCall is how long a call may take from the moment at which it begins to count. It
	// has room for the timeout of a try and for a check before sending. A process that dies
	// holds the weight of its calls for so long, and for the ten seconds after it.
	longestCall = 45 * time.Second
	// pollEvery is how often a waiting call looks for what other processes gave back.
	pollEvery = 250 * time.Millisecond
	// waitsFor is how long other processes count with a waiting call unless its process
	// repeats that it waits.
	waitsFor = 12 * pollEvery
	// lingerFor is how long the end of a call waits for the start of the next one, so that
	// one change of the state tells both.
	lingerFor = 20 * time.Millisecond
	// changeTimeout limits a change of the state.
	changeTimeout = 5 * time.Second
	// retryAfter is the pause before a ban that could not be told is told again.
	retryAfter = 500 * time.Millisecond
	// grain is the precision with which ended weight is kept, so that the state stays small.
	grain = 250 * time.Millisecond
)

// errUnshared is the error of a call whose weight could not be recorded.
var errUnshared = errors.New("the request budget that all nodes share cannot be asked")

// coarse rounds a moment up to the grain.
func coarse(until time.Time) time.Time { return until.Truncate(grain).Add(grain) }

// sharing is a budget's part of one that processes share. The lock of the budget guards it.
type sharing struct {
	with    SharedBudget
	process string
	calls   int64 // named so far

	open []*turn // calls of this process under way
	// What this process has yet to tell the others.
	ended    []*turn
	observed []observation
	banUntil time.Time // local time
	told     bool      // others count with a waiting call of this process

	ahead   time.Duration // the shared clock minus the local one
	fresh   bool          // something must be told at once
	wake    time.Time     // local time of the next change, if a call waits
	failing bool          // the last change failed
	telling bool          // the goroutine runs
	stirred chan struct{} // has something new for the goroutine
}

// Share makes the budget one part of a budget that several processes draw from. All weights,
// bans and figures of the exchange count in every process, and so do classes and the order
// of arrival. A call is sent only after its weight was recorded; if that fails, it is not
// sent. Call Share before the budget is used.
//
// The weight of a process that dies ends by time: 55 seconds after the start of its call.
func (b *Budget) Share(with SharedBudget) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared = &sharing{with: with, process: rand.Text()[:12], stirred: make(chan struct{}, 1)}
}

// newCall names a call.
func (s *sharing) newCall() string {
	s.calls++
	s.fresh = true
	return s.process + "/" + strconv.FormatInt(s.calls, 10)
}

func (s *sharing) ban(until time.Time) {
	s.fresh = true
	if until.After(s.banUntil) {
		s.banUntil = until
	}
}

// stir makes the goroutine look at what is new. It starts the goroutine if none runs.
func (s *sharing) stir(b *Budget) {
	if !s.telling {
		s.telling = true
		go b.tell()
		return
	}
	select {
	case s.stirred <- struct{}{}:
	default: // it will look anyway
	}
}

// tell changes the shared state until no call waits and everything is told.
func (b *Budget) tell() {
	for {
		pause, more := b.pause()
		if !more {
			return
		}
		if pause > 0 {
			timer := time.NewTimer(pause)
			select {
			case <-b.shared.stirred:
			case <-timer.C:
				b.due()
			}
			timer.Stop()
			continue
		}
		b.changeShared()
	}
}

// news reports whether there is something to tell that can wait a little.
func (s *sharing) news() bool { return len(s.ended) > 0 || len(s.observed) > 0 }

// due makes the next change happen at once.
func (b *Budget) due() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared.fresh = true
}

// pause returns how long to wait before the next change, and whether there will be one.
func (b *Budget) pause() (pause time.Duration, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shared
	switch now := time.Now(); {
	case s.fresh:
		return 0, true
	case !b.idle():
		pause := max(0, s.wake.Sub(now))
		if s.news() {
			pause = min(pause, lingerFor)
		}
		return pause, true
	case s.banUntil.After(now):
		return retryAfter, true
	case (s.news() || s.told) && !s.failing:
		return lingerFor, true
	}
	s.telling = false
	return 0, false
}

// changeShared tells the other processes what is new, and starts the calls that may start.
// If the state cannot be changed, the waiting calls fail.
func (b *Budget) changeShared() {
	ctx, cancel := context.WithTimeout(context.Background(), changeTimeout)
	defer cancel()
	b.mu.Lock()
	b.shared.fresh = false
	b.mu.Unlock()
	begun := time.Now()
	var r round
	err := b.shared.with.Change(ctx, func(state []byte, now time.Time, lost bool) (next []byte, err error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		r, err = b.round(state, now, lost)
		if err != nil || bytes.Equal(r.state, state) {
			return nil, err
		}
		return r.state, nil
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.fail(fmt.Errorf("%w: %w", errUnshared, err))
		return
	}
	b.adopt(r, begun)
}

// fail gives up all waiting calls. Only a ban is told again without a new call: everything
// else that others count ends by time.
func (b *Budget) fail(err error) {
	for p, line := range b.waiting {
		for _, t := range line {
			t.failed = err
			t.begin()
		}
		b.waiting[p] = nil
	}
	b.shared.fresh, b.shared.failing = false, true
}

// round is one change of the shared state.
type round struct {
	tally
	state    []byte // after the change
	now      time.Time
	ahead    time.Duration
	started  []*turn
	ended    int // how many were told
	observed int
	banUntil time.Time
	told     bool
}

// round works out the next state from the present one. It changes nothing of the budget. If
// changes were lost, the budget is full for as long as a lost call can count.
func (b *Budget) round(state []byte, now time.Time, lost bool) (r round, err error) {
	s := b.shared
	local := time.Now()
	r = round{now: now, ahead: now.Sub(local), ended: len(s.ended), observed: len(s.observed), banUntil: s.banUntil}
	shared, err := readSharedState(state)
	if err != nil {
		return r, err
	}
	r.tally = shared.tally(b.limit, b.reserve, now)
	for _, t := range s.open {
		if !r.has(t) && local.Sub(t.claimed) < longestCall {
			r.count(t, now)
		}
	}
	for _, t := range s.ended {
		r.end(t, now)
	}
	if lost {
		r.observe(observation{used: b.limit, remaining: -1}, now)
	}
	for _, o := range s.observed {
		r.observe(o, now)
	}
	if s.banUntil.After(local) {
		r.ban(coarse(now.Add(s.banUntil.Sub(local))))
	}
	for p, line := range b.waiting {
		for _, t := range line {
			if t.asked.IsZero() {
				t.asked = now
			}
		}
		r.waiting[p] = merged(line, shared.waiting(Priority(p), s.process, now))
	}
	// A call of another process that may start is started by that process.
	for t := r.next(now); t != nil && t.process == ""; t = r.next(now) {
		r.start(t, now)
		r.started = append(r.started, t)
	}
	r.state, r.told = shared.after(r.tally, s.process, now)
	return r, nil
}

// merged returns the calls of two queues in order of arrival.
func merged(ours, theirs []*turn) []*turn {
	line := slices.Concat(ours, theirs)
	slices.SortStableFunc(line, func(x, y *turn) int { return cmp.Or(x.asked.Compare(y.asked), strings.Compare(x.process, y.process)) })
	return line
}

// adopt starts the calls whose weight is recorded since a local time, and forgets what was
// told.
func (b *Budget) adopt(r round, begun time.Time) {
	s := b.shared
	s.ended, s.observed = s.ended[r.ended:], s.observed[r.observed:]
	if s.banUntil.Equal(r.banUntil) {
		s.banUntil = time.Time{}
	}
	s.ahead, s.told, s.failing = r.ahead, r.told, false
	for _, t := range r.started {
		if t.left { // meanwhile
			t.unsent = true
			s.ended = append(s.ended, t)
			continue
		}
		b.remove(t)
		t.claimed = begun
		s.open = append(s.open, t)
		t.begin()
	}
	s.wake = time.Now().Add(pollEvery)
	if next := r.change(r.now); !next.IsZero() {
		if at := next.Add(-r.ahead); at.Before(s.wake) {
			s.wake = at
		}
	}
	waiting := b.waiting
	b.tally = r.tally
	b.waiting = waiting
}
