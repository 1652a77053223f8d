package exchange

import (
	"context"
	"sync"
	"time"
)

// DefaultBudget is the weight in any ten seconds that leaves the exchange's
// limit of 500 some air.
const DefaultBudget = 400

const (
	// window is the stretch of time over which the exchange counts.
	window = 10 * time.Second
	// windowMargin keeps calls apart that would otherwise stand exactly at
	// both ends of a window.
	windowMargin = 20 * time.Millisecond
)

// Budget sees to it that what this process sends never exceeds a weight in any
// ten seconds, bursts included. It is shared by all clients that the exchange
// counts together.
//
// The exchange counts a call when it arrives, which is some time between its
// start and its end. So a call occupies its weight from its start until ten
// seconds after its end. Calls get their turn in the order they asked for it.
type Budget struct {
	limit int
	// line holds the one call that is next. Goroutines blocked on a channel
	// are served in the order they came.
	line chan struct{}
	// changed wakes the call that is next: one ended, or a ban began.
	changed chan struct{}

	mu     sync.Mutex
	open   int     // weight of the calls under way
	spent  []spent // weight of ended calls
	banned time.Time
}

// spent is weight that counts until a moment.
type spent struct {
	weight int
	until  time.Time
}

// NewBudget allows per10s weight in any ten seconds; less than 1 is taken for 1.
func NewBudget(per10s int) *Budget {
	return &Budget{
		limit:   max(1, per10s),
		line:    make(chan struct{}, 1),
		changed: make(chan struct{}, 1),
	}
}

// BudgetState is a look at a [Budget].
type BudgetState struct {
	Used        int // weight that counts at this moment
	Limit       int
	BannedUntil time.Time // no call starts before; zero or past when there is no ban
}

// State is how full the budget is now.
func (b *Budget) State() BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return BudgetState{Used: b.used(time.Now()), Limit: b.limit, BannedUntil: b.banned}
}

// take waits until a call of this weight may start. The caller must call ended
// once, when the answer is there or given up. The error is that of ctx.
//
// The exchange counts by address and by user; both counts have the same size,
// so the larger weight is counted in one.
func (b *Budget) take(ctx context.Context, w Weight) (ended func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case b.line <- struct{}{}:
		defer func() { <-b.line }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	weight := w.Larger()
	for {
		pause, free := b.start(weight)
		if free {
			return sync.OnceFunc(func() { b.end(weight) }), nil
		}
		if err := b.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// wait lasts for the pause, or until something changed when that is sooner. A
// pause of 0 means that only a change can help.
func (b *Budget) wait(ctx context.Context, pause time.Duration) error {
	var timeout <-chan time.Time
	if pause > 0 {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-timeout:
	case <-b.changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// start begins a call of this weight if it is free to go, and otherwise says
// how long nothing will change by itself.
//
// A call that is heavier than the whole budget goes when nothing else counts.
func (b *Budget) start(weight int) (pause time.Duration, free bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if pause := b.banned.Sub(now); pause > 0 {
		return pause, false
	}
	if used := b.used(now); used == 0 || used+weight <= b.limit {
		b.open += weight
		return 0, true
	}
	for _, s := range b.spent {
		if left := s.until.Sub(now); pause == 0 || left < pause {
			pause = left
		}
	}
	return pause, false
}

// end turns the weight of a call under way into spent weight. A call heavier
// than the budget counts for longer, so that the average stays at the budget.
func (b *Budget) end(weight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open -= weight
	b.spend(weight, window*time.Duration(max(weight, b.limit))/time.Duration(b.limit))
	b.wake()
}

// observe obeys what the exchange says of its own count: used weight that we
// do not know of, and remaining weight that is less than we think. Negative
// values were not given.
func (b *Budget) observe(used, remaining int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ours := b.used(time.Now())
	foreign := used - ours
	if remaining >= 0 {
		foreign = max(foreign, b.limit-ours-remaining)
	}
	// A count beyond the limit would only have to be waited out longer than
	// the exchange remembers it.
	if foreign = min(foreign, b.limit-ours); foreign > 0 {
		b.spend(foreign, window)
	}
}

// ban stops every call for d.
func (b *Budget) ban(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := time.Now().Add(d); until.After(b.banned) {
		b.banned = until
	}
	b.wake()
}

// used drops what does not count any more and is the weight that does.
func (b *Budget) used(now time.Time) int {
	used, kept := b.open, b.spent[:0]
	for _, s := range b.spent {
		if s.until.After(now) {
			used, kept = used+s.weight, append(kept, s)
		}
	}
	b.spent = kept
	return used
}

func (b *Budget) spend(weight int, d time.Duration) {
	b.spent = append(b.spent, spent{weight, time.Now().Add(d + windowMargin)})
}

func (b *Budget) wake() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}
