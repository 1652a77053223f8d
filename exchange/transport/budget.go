package transport

import (
	"context"
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

// Budget limits the weight that this process sends in any ten seconds, bursts included. It
// limits the weight by address, over all clients that share the Budget, and by user. The
// exchange gives both counts the same limit.
//
// The exchange counts a call when it arrives, which is some time between its start and its
// end. So a call occupies its weight from its start until ten seconds after its end.
//
// Calls go by class (see [Priority]), and within a class in the order of arrival. A user
// whose own count is full does not hold up the others. A collection call that has waited
// for 30 seconds goes first, at most one every 30 seconds; orders within their reserve do
// not wait for it.
type Budget struct {
	mu      sync.Mutex
	limit   int
	reserve int
	ip      counter
	users   map[string]*counter
	banned  time.Time
	bans    int

	waiting [priorities][]*turn // in order of arrival
	// collected is when a collection call was last started.
	collected time.Time
	timer     *time.Timer // fires when the next call may start
}

// turn is a waiting call.
type turn struct {
	weight   Weight
	user     string
	priority Priority
	asked    time.Time
	ready    chan struct{} // closed when the call may start
	going    bool
}

// NewBudget returns a budget of per10s weight in any ten seconds; values below 1 count as
// 1.
func NewBudget(per10s int) *Budget {
	limit := max(1, per10s)
	return &Budget{limit: limit, ip: counter{limit: limit}, users: map[string]*counter{}}
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
// arrived or was abandoned. The error is that of ctx.
func (b *Budget) take(ctx context.Context, t turn) (ended func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.enter(&t)
	select {
	case <-t.ready:
	case <-ctx.Done():
		if b.leave(&t) {
			return nil, ctx.Err()
		}
	}
	return sync.OnceFunc(func() { b.end(&t) }), nil
}

// enter queues the call.
func (b *Budget) enter(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.asked, t.ready = time.Now(), make(chan struct{})
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
	b.remove(t)
	b.dispatch()
	return true
}

func (b *Budget) end(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	order := t.priority == OrderCalls
	b.ip.end(t.weight.IP, order)
	b.user(t.user).end(t.weight.UID, order)
	b.dispatch()
}

// user returns the count of a user.
func (b *Budget) user(name string) *counter {
	if b.users[name] == nil {
		b.users[name] = &counter{limit: b.limit}
	}
	return b.users[name]
}

// observe corrects the count by address with the exchange's own figures: used weight that
// we did not know of, and remaining weight below our estimate. Negative values mean not
// given.
func (b *Budget) observe(used, remaining int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ours, _ := b.ip.used(time.Now())
	foreign := used - ours
	if remaining >= 0 {
		foreign = max(foreign, b.limit-ours-remaining)
	}
	// Beyond the limit we would wait longer than the exchange remembers.
	if foreign = min(foreign, b.limit-ours); foreign > 0 {
		b.ip.spend(foreign, false, window)
	}
}

// ban stops every call for d.
func (b *Budget) ban(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bans++
	if until := time.Now().Add(d); until.After(b.banned) {
		b.banned = until
	}
	b.dispatch()
}
