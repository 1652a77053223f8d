package transport

import (
	"context"
	"sync"
	"time"
)

// DefaultBudget is the weight in any ten seconds that leaves the exchange's
// limit of 500 some air.
const DefaultBudget = 400

// OrderReserve is the part of [DefaultBudget] that is kept for orders where
// trading is on.
const OrderReserve = 50

const (
	// window is the stretch of time over which the exchange counts.
	window = 10 * time.Second
	// windowMargin keeps calls apart that would otherwise stand exactly at
	// both ends of a window.
	windowMargin = 20 * time.Millisecond
	// patience is how long collection is passed over before one of its calls
	// goes first.
	patience = 3 * window
)

// Budget sees to it that what this process sends never exceeds a weight in any
// ten seconds, bursts included: by address, over all clients that share the
// Budget, and by user as well. Both counts have the same size at the exchange.
//
// The exchange counts a call when it arrives, which is some time between its
// start and its end. So a call occupies its weight from its start until ten
// seconds after its end.
//
// Calls get their turn by class (see [Priority]) and within a class in the
// order they asked for it, except that a user whose own count is full does not
// hold up the others. A call of collection that has been passed over for 30
// seconds goes first, one of them each 30 seconds; orders within their reserve
// do not wait for it.
type Budget struct {
	mu      sync.Mutex
	limit   int
	reserve int
	ip      counter
	users   map[string]*counter
	banned  time.Time
	bans    int

	waiting [priorities][]*turn // in the order they asked
	// collected is when a call of collection last went.
	collected time.Time
	timer     *time.Timer // for the next moment at which somebody may go
}

// turn is a call that wants to go.
type turn struct {
	weight   Weight
	user     string
	priority Priority
	asked    time.Time
	ready    chan struct{} // closed when it may go
	going    bool
}

// NewBudget allows per10s weight in any ten seconds; less than 1 is taken for 1.
func NewBudget(per10s int) *Budget {
	limit := max(1, per10s)
	return &Budget{limit: limit, ip: counter{limit: limit}, users: map[string]*counter{}}
}

// ReserveForOrders keeps this weight in any ten seconds for orders, at most half
// of the budget: other calls leave it alone. It is for processes that trade.
func (b *Budget) ReserveForOrders(weight int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserve = min(max(0, weight), b.limit/2)
	b.dispatch()
}

// take waits until the call may start. The caller must call ended once, when
// the answer is there or given up. The error is that of ctx.
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

// enter puts the call in its line.
func (b *Budget) enter(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.asked, t.ready = time.Now(), make(chan struct{})
	b.waiting[t.priority] = append(b.waiting[t.priority], t)
	b.dispatch()
}

// leave takes the call out of its line; false when it got its turn meanwhile.
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

// user is the count of a user.
func (b *Budget) user(name string) *counter {
	if b.users[name] == nil {
		b.users[name] = &counter{limit: b.limit}
	}
	return b.users[name]
}

// observe obeys what the exchange says of its own count: used weight that we
// do not know of, and remaining weight that is less than we think. Negative
// values were not given. It is taken for the count by address.
func (b *Budget) observe(used, remaining int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ours, _ := b.ip.used(time.Now())
	foreign := used - ours
	if remaining >= 0 {
		foreign = max(foreign, b.limit-ours-remaining)
	}
	// A count beyond the limit would only have to be waited out longer than
	// the exchange remembers it.
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
