package transport

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queue puts calls into the queues of a budget in this order, each identified by its
// index, and returns the order in which they were sent. No two of them may fit together.
func queue(t *testing.T, b *Budget, turns ...turn) (order []int) {
	t.Helper()
	var mu sync.Mutex
	var calls sync.WaitGroup
	for i, call := range turns {
		calls.Go(func() {
			_, ended, err := b.take(background, call)
			if err != nil {
				t.Error(err)
				return
			}
			defer ended()
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		})
		synctest.Wait()
	}
	calls.Wait()
	return order
}

// Orders overtake interactive calls, and interactive calls overtake collection.
func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget(10)
		spendOne(t, budget, Weight{IP: 10}, 0)
		full := Weight{IP: 10}
		got := queue(t, budget, turn{weight: full}, turn{weight: full, priority: Interactive}, turn{weight: full, priority: OrderCalls})
		if want := []int{2, 1, 0}; !slices.Equal(got, want) {
			t.Errorf("the order was %v, want %v", got, want)
		}
	})
}

// press keeps a class of calls waiting until the context ends.
func press(ctx context.Context, b *Budget, call turn) {
	for range 60 {
		go func() {
			for {
				_, ended, err := b.take(ctx, call)
				if err != nil {
					return
				}
				ended()
			}
		}()
	}
}

// However many calls precede it, a call of collection is sent within a bounded time, by
// address and by user, with and without a reserve.
func TestCollectionDoesNotStarve(t *testing.T) {
	for _, test := range []struct {
		reserve int
		press   turn
	}{
		{0, turn{weight: Weight{IP: 5, UID: 5}, priority: Interactive}},
		{50, turn{weight: Weight{IP: 40}, priority: Interactive}},
		{0, turn{weight: Weight{IP: 2, UID: 5}, priority: OrderCalls}},
		{50, turn{weight: Weight{IP: 2, UID: 5}, priority: OrderCalls}},
		{50, turn{weight: Weight{IP: 5, UID: 10}, priority: OrderCalls}},
	} {
		t.Run(fmt.Sprintf("%d %v %v", test.reserve, test.press.priority, test.press.weight), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(background)
				budget := NewBudget(400)
				budget.ReserveForOrders(test.reserve)
				press(ctx, budget, test.press)
				time.Sleep(time.Second)
				for n := range 5 {
					begin := time.Now()
					spendOne(t, budget, Weight{IP: 20, UID: 20}, 0)
					if waited := time.Since(begin); waited > patience+2*window {
						t.Errorf("page %d waited %v", n, waited)
					}
				}
				cancel()
				synctest.Wait()
			})
		})
	}
}

// An order within the reserve is sent at once, whatever other calls wait, however full
// the rest of the budget is, and even if collection is overdue.
func TestReserveIsThereForOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(background)
		budget := NewBudget(400)
		budget.ReserveForOrders(OrderReserve)
		press(ctx, budget, turn{weight: Weight{IP: 20, UID: 20}, priority: Interactive})
		press(ctx, budget, turn{weight: Weight{IP: 20, UID: 20}})
		for range 100 {
			time.Sleep(1100 * time.Millisecond)
			begin := time.Now()
			_, ended, err := budget.take(ctx, turn{weight: Weight{IP: 2, UID: 5}, priority: OrderCalls})
			if err != nil || time.Since(begin) != 0 {
				t.Errorf("an order waited %v: %v", time.Since(begin), err)
			}
			ended()
		}
		if s := budget.State(); s.Reserve != OrderReserve || s.Waiting[Interactive] == 0 || s.Waiting[Collection] == 0 || s.Waiting[OrderCalls] != 0 {
			t.Errorf("%+v", s)
		}
		cancel()
		synctest.Wait()
	})
}

// A user without remaining budget does not delay another; the budget of the address is
// shared.
func TestUsersAreCountedSeparately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, begin := NewBudget(100), time.Now()
		one := turn{weight: Weight{IP: 1, UID: 100}, user: "one"}
		two := turn{weight: Weight{IP: 1, UID: 100}, user: "two"}
		if got := queue(t, budget, one, one, two); !slices.Equal(got, []int{0, 2, 1}) {
			t.Errorf("the order was %v", got)
		}
		if since := time.Since(begin); since < window || since > window+time.Second {
			t.Errorf("the second call of a user was sent after %v", since)
		}
		s := budget.State()
		if s.Used != 1 || s.Users["one"] != 100 || len(s.Users) != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// The reserve is never more than half of the budget.
func TestReserveIsBounded(t *testing.T) {
	for limit, reserves := range map[int][2]int{400: {50, 50}, 60: {50, 30}, 1: {50, 0}, 100: {-3, 0}} {
		b := NewBudget(limit)
		b.ReserveForOrders(reserves[0])
		if got := b.State().Reserve; got != reserves[1] {
			t.Errorf("of %d, %d are kept, want %d", limit, got, reserves[1])
		}
	}
}

// The class of a call comes from its endpoint or from the context; that of an order
// cannot be changed.
func TestPriorityOfCalls(t *testing.T) {
	for _, e := range []Endpoint{{Name: "order"}, {Name: "market", Reading: true}, {Name: "commissions", Reading: true, Affiliate: true}} {
		want := Interactive
		switch {
		case !e.Reading:
			want = OrderCalls
		case e.Affiliate:
			want = Collection
		}
		if got := priorityOf(background, e); got != want {
			t.Errorf("%v is %v, want %v", e, got, want)
		}
		for _, given := range []Priority{Interactive, Collection, OrderCalls, 99} {
			want := Collection
			switch {
			case !e.Reading:
				want = OrderCalls
			case given == Interactive:
				want = Interactive
			}
			if got := priorityOf(WithPriority(background, given), e); got != want {
				t.Errorf("%v as %v is %v, want %v", e, given, got, want)
			}
		}
	}
	if got := fmt.Sprint(Collection, Interactive, OrderCalls, Priority(9)); got != "collection interactive orders unknown" {
		t.Error(got)
	}
}
