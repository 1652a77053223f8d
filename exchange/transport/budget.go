package transport

import (
	"context"
	"slices"
	"sync"
	"time"
)

// DefaultBudget is the default weight per ten seconds. It is below the exchange's limit of
// 500.
const DefaultBudget = 400

// OrderReserve is the part of [DefaultBudget] kept for orders while trading is on.
const OrderReserve = 50

const (
	// window is the period over which the exchange counts.
	window = 10 * time.Second
	// windowMargin separates calls that would otherwise fall exactly on the two ends of a
	// window.
	windowMargin = 20 * time.Millisecond
	// patience is how long a collection call waits before it takes precedence.
	patience = 3 * window
)

// Budget limits the weight that is sent in any ten seconds, bursts included. It limits the
// weight by address, over all clients that share the Budget, and by user. The exchange gives
// both counts the same limit. By default it counts the calls of this process; see
// [Budget.Share] for those of several processes.
//
// The exchange counts a call when it arrives, which is some time between its start and its
// end. So a call occupies its weight from its start until ten seconds after its end.
//
// Calls go by class (see [Priority]), and within a class in the order of arrival. A user
// whose own count is full does not hold up the others. A collection call that has waited
// for 30 seconds goes first, at most one every 30 seconds; orders within their reserve do
// not wait for it.
type Budget struct {
	mu sync.Mutex
	tally
	bans  int
	timer *time.Timer // fires when the next call may start

	shared *sharing // nil: of this process alone
}

// turn is a waiting call.
type turn struct {
	weight   Weight
	user     string
	priority Priority
	asked    time.Time
	ready    chan struct{} // closed when the call may start, or has failed
	going    bool
	failed   error // why the call will not start

	// In a budget that processes share:
	call    string    // names the call
	process string    // of the call, if it is another process
	claimed time.Time // local time before the call began to count
	left    bool      // nobody waits for it any more
	unsent  bool      // it did not start, so it counts no longer
}

// NewBudget returns a budget of per10s weight in any ten seconds; values below 1 count as
// 1.
func NewBudget(per10s int) *Budget {
	return &Budget{tally: newTally(max(1, per10s), 0)}
}

// ReserveForOrders reserves a weight per ten seconds for orders, at most half of the
// budget. Processes that trade call it.
func (b *Budget) ReserveForOrders(weight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserve = min(max(0, weight), b.limit/2)
	b.dispatch()
}

// take waits until the call may start. The caller must call ended once the answer has
// arrived or was abandoned. The call must be made with the returned context, which ends
// before the weight may count no longer. The error is that of ctx, or says why a budget that
// processes share could not be asked.
func (b *Budget) take(ctx context.Context, t turn) (calling context.Context, ended func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	b.enter(&t)
	select {
	case <-t.ready:
	case <-ctx.Done():
		if b.leave(&t) {
			return nil, nil, ctx.Err()
		}
	}
	if t.failed != nil {
		return nil, nil, t.failed
	}
	end := sync.OnceFunc(func() { b.end(&t) })
	if t.claimed.IsZero() {
		return ctx, end, nil
	}
	calling, cancel := context.WithDeadline(ctx, t.claimed.Add(longestCall))
	return calling, func() { cancel(); end() }, nil
}

// enter queues the call.
func (b *Budget) enter(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.ready = make(chan struct{})
	if b.shared == nil {
		t.asked = time.Now()
	} else {
		t.call = b.shared.newCall()
	}
	b.waiting[t.priority] = append(b.waiting[t.priority], t)
	b.dispatch()
}

// leave removes the call from the queue. It returns false if the call's turn has come in
// the meantime.
func (b *Budget) leave(t *turn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.going {
		return false
	}
	t.left = true
	b.remove(t)
	b.dispatch()
	return true
}

// end counts the weight of the call for another ten seconds.
func (b *Budget) end(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared != nil {
		b.shared.open = slices.DeleteFunc(b.shared.open, func(o *turn) bool { return o == t })
		b.shared.ended = append(b.shared.ended, t)
	} else {
		b.tally.end(t, time.Now())
	}
	b.dispatch()
}

// observation is what the exchange says about the weight of an address. Negative values
// mean not given.
type observation struct{ used, remaining int }

// observe takes the exchange's own figures, see [tally.observe].
func (b *Budget) observe(used, remaining int) {
	o := observation{used, remaining}
	if used < 0 && remaining < 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared != nil {
		b.shared.observed = append(b.shared.observed, o)
		b.dispatch()
		return
	}
	b.tally.observe(o, time.Now())
}

// ban stops every call for d.
func (b *Budget) ban(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bans++
	b.tally.ban(b.now().Add(d))
	if b.shared != nil {
		b.shared.ban(time.Now().Add(d))
	}
	b.dispatch()
}

// dispatch starts every call that may start, and sets the timer for the next moment at
// which another might. Call it with the lock held after each change.
func (b *Budget) dispatch() {
	if b.shared != nil {
		b.shared.stir(b)
		return
	}
	now := time.Now()
	for t := b.next(now); t != nil; t = b.next(now) {
		b.start(t, now)
		t.begin()
	}
	b.wakeAt(b.change(now))
}

// begin lets the call start.
func (t *turn) begin() {
	t.going = true
	close(t.ready)
}

// wakeAt sets the timer.
func (b *Budget) wakeAt(moment time.Time) {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if moment.IsZero() {
		return
	}
	b.timer = time.AfterFunc(time.Until(moment), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.dispatch()
	})
}

// now returns the time by the clock of the tally.
func (b *Budget) now() time.Time {
	if b.shared == nil {
		return time.Now()
	}
	return time.Now().Add(b.shared.ahead)
}
