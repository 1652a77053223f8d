package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/internal/soak"
)

// sharedMemory is the state of a shared budget, with a clock of its own.
type sharedMemory struct {
	ahead time.Duration        // of the local clock
	slow  func() time.Duration // the time that a reading or a writing takes; nil: none
	// outage ends a change before or after the state is written; nil: none.
	outage func() (before, after bool)

	crash func() bool // takes back the last changes; nil: none

	mu      sync.Mutex
	state   []byte
	states  [][]byte // of the past
	version int
	lost    bool
}

var errOutage = errors.New("the database is down")

// Change implements SharedBudget.
func (m *sharedMemory) Change(_ context.Context, f func([]byte, time.Time, bool) ([]byte, error)) error {
	for {
		m.wait()
		m.mu.Lock()
		state, version, lost, now := m.state, m.version, m.lost, time.Now().Add(m.ahead).Truncate(time.Millisecond)
		m.mu.Unlock()
		next, err := f(state, now, lost)
		if err != nil || next == nil {
			return err
		}
		m.wait()
		if wrote, err := m.write(next, version); wrote || err != nil {
			return err
		}
	}
}

// become changes the database.
func (m *sharedMemory) become(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

func (m *sharedMemory) wait() {
	if m.slow != nil {
		time.Sleep(m.slow())
	}
}

func (m *sharedMemory) write(next []byte, version int) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var before, after bool
	if m.outage != nil {
		before, after = m.outage()
	}
	if before {
		return false, errOutage
	}
	if m.version != version {
		return false, nil
	}
	m.states = append(m.states, m.state)
	m.state, m.version, m.lost = next, version+1, false
	if m.crash != nil && m.crash() {
		m.state, m.lost = m.states[max(0, len(m.states)-3)], true
		return true, errOutage
	}
	if after {
		return true, errOutage
	}
	return true, nil
}

// cutOff is a shared budget whose process can be cut off.
type cutOff struct {
	SharedBudget
	off atomic.Bool
}

// Change implements SharedBudget.
func (c *cutOff) Change(ctx context.Context, f func([]byte, time.Time, bool) ([]byte, error)) error {
	if c.off.Load() {
		return errOutage
	}
	return c.SharedBudget.Change(ctx, f)
}

// told waits until every process has told what it had to.
func told() { time.Sleep(window) }

// nodes returns budgets of several processes over one state.
func nodes(n, limit int, m *sharedMemory) []*Budget {
	list := make([]*Budget, n)
	for i := range list {
		list[i] = NewBudget(limit)
		list[i].Share(m)
	}
	return list
}

// No ten seconds exceed the budget over all processes, by address or by user, nor the budget
// without the reserve for calls other than orders. This holds for any weights, durations,
// cancellations and bans, for a slow database and one that fails or loses changes at times, and if processes
// end without a word.
func TestSoakSharedBudgetHoldsInAnyTenSeconds(t *testing.T) {
	for seed := range uint64(soak.Times(24, 600)) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 11))
			limit := 50 + random.IntN(400)
			reserve := random.IntN(limit/8 + 1)
			var chance sync.Mutex
			roll := func(n int) int {
				chance.Lock()
				defer chance.Unlock()
				return random.IntN(n)
			}
			shared := &sharedMemory{ahead: time.Duration(random.IntN(7200)-3600) * time.Second}
			if seed%3 > 0 {
				shared.slow = func() time.Duration { return time.Duration(roll(3000)) * time.Microsecond }
			}
			if seed%3 == 2 {
				shared.outage = func() (bool, bool) { return roll(30) == 0, roll(30) == 0 }
				shared.crash = func() bool { return roll(60) == 0 }
			}
			budgets := nodes(1+int(seed%4), limit, shared)
			for _, b := range budgets {
				b.ReserveForOrders(reserve)
			}
			var mu sync.Mutex
			counts := map[string][]arrival{}
			went := 0
			var calls sync.WaitGroup
			for range 120 {
				time.Sleep(time.Duration(roll(1200)) * time.Millisecond * time.Duration(roll(2)))
				call := turn{
					weight:   Weight{IP: 1 + roll(20), UID: roll(20)},
					user:     []string{"a", "b"}[roll(2)],
					priority: Priority(roll(priorities)),
				}
				budget := budgets[roll(len(budgets))]
				took := time.Duration(roll(8000)) * time.Millisecond * time.Duration(roll(2))
				arrives := time.Duration(roll(1000)) * took / 1000
				patience := time.Duration(roll(60)) * time.Second
				banned, dies := roll(40) == 0, roll(20) == 0
				calls.Go(func() {
					ctx, cancel := context.WithTimeout(background, patience)
					defer cancel()
					_, ended, err := budget.take(ctx, call)
					if err != nil {
						return
					}
					time.Sleep(arrives)
					mu.Lock()
					went++
					for name, weight := range map[string]int{"ip": call.weight.IP, call.user: call.weight.UID} {
						counts[name] = append(counts[name], arrival{time.Now(), weight})
						if call.priority != OrderCalls {
							counts["others "+name] = append(counts["others "+name], arrival{time.Now(), weight})
						}
					}
					mu.Unlock()
					time.Sleep(took - arrives)
					if banned {
						budget.ban(window)
					}
					if !dies {
						ended()
					}
				})
			}
			calls.Wait()
			for name, arrivals := range counts {
				most := limit
				if strings.HasPrefix(name, "others ") {
					most -= reserve
				}
				if got := heaviest(arrivals); got > most {
					t.Errorf("seed %d: %s: %d in ten seconds, allowed %d", seed, name, got, most)
				}
			}
			if went == 0 {
				t.Errorf("seed %d: no call was sent", seed)
			}
			shared.become(func() { shared.outage, shared.crash = nil, nil })
			time.Sleep(longestCall + 2*window)
			spendOne(t, budgets[0], Weight{}, 0) // looks at the state
			time.Sleep(2 * window)
			spendOne(t, budgets[0], Weight{}, 0)
			told()
			if s := budgets[0].State(); s.Used != 0 || len(s.Users) != 0 {
				t.Errorf("seed %d: in the end %+v", seed, s)
			}
		})
	}
}

// Calls of all processes use nearly the whole budget, and each process gets its part.
func TestSharedBudgetIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budgets, begin := nodes(3, 400, &sharedMemory{}), time.Now()
		var calls sync.WaitGroup
		for _, b := range budgets {
			calls.Go(func() {
				for range 60 {
					spendOne(t, b, Weight{IP: 20, UID: 20}, 10*time.Millisecond)
				}
				if took := time.Since(begin); took < 60*time.Second {
					t.Errorf("a process had its 60 calls after %v", took)
				}
			})
		}
		calls.Wait()
		// 20 calls start at once, then 20 more about every ten seconds.
		if took := time.Since(begin); took < 80*time.Second || took > 88*time.Second {
			t.Errorf("180 calls of 20 took %v", took)
		}
		told()
	})
}

// Classes and the order of arrival hold over all processes.
func TestSharedBudgetOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budgets := nodes(2, 10, &sharedMemory{ahead: time.Hour})
		spendOne(t, budgets[0], Weight{IP: 10}, 0)
		var mu sync.Mutex
		var order []string
		var calls sync.WaitGroup
		for i, p := range []Priority{Collection, Collection, Interactive, Collection, Interactive, OrderCalls} {
			calls.Go(func() {
				_, ended, err := budgets[i%2].take(background, turn{weight: Weight{IP: 10}, priority: p})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, fmt.Sprint(p, " ", i))
				mu.Unlock()
				ended()
			})
			time.Sleep(100 * time.Millisecond)
		}
		calls.Wait()
		// After 30 seconds in all a call of collection takes precedence.
		want := []string{"orders 5", "interactive 2", "collection 0", "interactive 4", "collection 1", "collection 3"}
		if !slices.Equal(order, want) {
			t.Errorf("the order was %v, want %v", order, want)
		}
		told()
	})
}

// A process that dies holds the weight of its calls, and the place of its waiting ones, for a
// time.
func TestSharedBudgetOfADeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &sharedMemory{}
		mortal := &cutOff{SharedBudget: shared}
		budgets, begin := nodes(2, 10, shared), time.Now()
		budgets[0].Share(mortal)
		if _, _, err := budgets[0].take(background, turn{weight: Weight{IP: 10}}); err != nil { // and no end
			t.Fatal(err)
		}
		go budgets[0].take(background, turn{weight: Weight{IP: 10}, priority: OrderCalls})
		time.Sleep(longestCall + window - time.Second)
		mortal.off.Store(true)
		spendOne(t, budgets[1], Weight{IP: 10}, 0)
		if since := time.Since(begin); since < longestCall+window || since > longestCall+window+waitsFor {
			t.Errorf("the other process sent its call after %v", since)
		}
		told()
	})
}

// A call ends before its weight may count no longer.
func TestSharedBudgetEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, begin := nodes(1, 10, &sharedMemory{slow: func() time.Duration { return time.Second }})[0], time.Now()
		ctx, ended, err := b.take(background, turn{weight: Weight{IP: 10}})
		if err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		ended()
		if since := time.Since(begin); since != longestCall {
			t.Errorf("the call ended %v after its weight began to count", since)
		}
		told()
	})
}

// A ban that the exchange told one process stops all others, and so does the weight that the
// exchange says is used.
func TestSharedBudgetObeysTheExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budgets, begin := nodes(2, 400, &sharedMemory{ahead: -time.Hour}), time.Now()
		spendOne(t, budgets[0], Weight{IP: 1}, 0)
		budgets[0].ban(20 * time.Second)
		if got := budgets[0].State().BannedUntil.Sub(begin); got != 20*time.Second {
			t.Errorf("banned for %v", got)
		}
		time.Sleep(time.Millisecond)
		spendOne(t, budgets[1], Weight{IP: 1}, 0)
		if since := time.Since(begin); since < 20*time.Second || since > 21*time.Second {
			t.Errorf("the other process sent a call after %v", since)
		}
		if got := budgets[1].State(); got.BannedUntil.Sub(begin) < 20*time.Second || got.Bans != 0 {
			t.Errorf("the other process has the state %+v", got)
		}

		begin = time.Now()
		budgets[0].observe(395, -1)
		time.Sleep(2 * lingerFor)
		spendOne(t, budgets[1], Weight{IP: 10}, 0)
		if since := time.Since(begin); since < 10*time.Second || since > 11*time.Second {
			t.Errorf("with 395 used, a call of 10 was sent after %v", since)
		}
		told()
	})
}

// Without the database no call is sent. A ban is told as soon as it is back.
func TestSharedBudgetFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &sharedMemory{}
		budgets, begin := nodes(2, 400, shared), time.Now()
		shared.outage = func() (bool, bool) { return true, false }
		if _, _, err := budgets[0].take(background, turn{weight: Weight{IP: 1}}); !errors.Is(err, errOutage) {
			t.Errorf("a call got the error %v", err)
		}
		budgets[0].ban(20 * time.Second)
		time.Sleep(5 * time.Second)
		shared.become(func() { shared.outage = nil })
		time.Sleep(2 * retryAfter)
		spendOne(t, budgets[1], Weight{IP: 1}, 0)
		if since := time.Since(begin); since < 20*time.Second || since > 21*time.Second {
			t.Errorf("the other process sent a call after %v", since)
		}
		shared.become(func() { shared.state = []byte("{") }) // of nobody
		if _, _, err := budgets[0].take(background, turn{weight: Weight{IP: 1}}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("a call got the error %v", err)
		}
		told()
	})
}

// After a change of the database's clock nothing counts for longer than it can have been
// meant to.
func TestSharedBudgetOutlivesItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &sharedMemory{ahead: time.Hour}
		budgets, begin := nodes(2, 10, shared), time.Now()
		spendOne(t, budgets[0], Weight{IP: 10}, 0)
		time.Sleep(time.Second)
		shared.become(func() { shared.ahead = 0 })
		spendOne(t, budgets[1], Weight{IP: 10}, 0)
		if since := time.Since(begin); since > longestCall+window+2*time.Second {
			t.Errorf("a call was sent after %v", since)
		}
		told()
	})
}
