package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// arrival is a call as the exchange counts it.
type arrival struct {
	at     time.Time
	weight int
}

// heaviest returns the most weight that arrived in any ten seconds, both ends included.
func heaviest(arrivals []arrival) int {
	slices.SortFunc(arrivals, func(a, b arrival) int { return a.at.Compare(b.at) })
	most := 0
	for i, first := range arrivals {
		sum := 0
		for _, a := range arrivals[i:] {
			if a.at.Sub(first.at) > 10*time.Second {
				break
			}
			sum += a.weight
		}
		most = max(most, sum)
	}
	return most
}

// No ten seconds exceed the budget by address or by user, nor the budget without the
// reserve for calls other than orders. This holds for any weights, users, durations,
// arrival times, cancellations and bans.
func TestBudgetHoldsInAnyTenSeconds(t *testing.T) {
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			limit := 50 + random.IntN(400)
			reserve := random.IntN(limit/8 + 1)
			budget := NewBudget(limit)
			budget.ReserveForOrders(reserve)
			var mu sync.Mutex
			counts := map[string][]arrival{}
			went := 0
			var calls sync.WaitGroup
			for range 150 {
				time.Sleep(time.Duration(random.IntN(1200)) * time.Millisecond * time.Duration(random.IntN(2)))
				call := turn{
					weight:   Weight{IP: 1 + random.IntN(20), UID: random.IntN(20)},
					user:     []string{"a", "b"}[random.IntN(2)],
					priority: Priority(random.IntN(priorities)),
				}
				took := time.Duration(random.IntN(8000)) * time.Millisecond * time.Duration(random.IntN(2))
				arrives := time.Duration(random.Float64() * float64(took))
				patience := time.Duration(random.IntN(60)) * time.Second
				banned := random.IntN(40) == 0
				calls.Go(func() {
					ctx, cancel := context.WithTimeout(background, patience)
					defer cancel()
					_, ended, err := budget.take(ctx, call)
					if err != nil {
						return
					}
					defer ended()
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
			if went < 10 {
				t.Errorf("seed %d: only %d calls were sent", seed, went)
			}
			time.Sleep(2 * window)
			s := budget.State()
			if s.Used != 0 || s.Limit != limit || len(s.Users) != 0 || s.Waiting[OrderCalls]+s.Waiting[Interactive]+s.Waiting[Collection] != 0 {
				t.Errorf("seed %d: in the end %+v", seed, s)
			}
		})
	}
}

// Under constant demand quick calls use nearly the whole budget.
func TestBudgetIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, begin := NewBudget(400), time.Now()
		for range 200 {
			spendOne(t, budget, Weight{IP: 20}, 10*time.Millisecond)
		}
		// 20 calls start at once, then 20 more every ten seconds.
		if took := time.Since(begin); took < 90*time.Second || took > 95*time.Second {
			t.Errorf("200 calls of 20 took %v", took)
		}
	})
}

func spendOne(t *testing.T, b *Budget, w Weight, took time.Duration) {
	t.Helper()
	_, ended, err := b.take(background, turn{weight: w})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(took)
	ended()
	ended() // a second call has no effect
}

// Calls are sent in the order of their requests, even if a later one would fit sooner.
func TestBudgetIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget(10)
		spendOne(t, budget, Weight{IP: 9}, 0)
		var order []int
		var mu sync.Mutex
		var calls sync.WaitGroup
		for i, weight := range []int{10, 9, 2, 9, 2} {
			calls.Go(func() {
				spendOne(t, budget, Weight{IP: weight}, 0)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		calls.Wait()
		if !slices.IsSorted(order) {
			t.Errorf("the order was %v", order)
		}
	})
}

// A call heavier than the budget is sent alone, and a pause after it compensates for its
// weight.
func TestBudgetLetsHeavyCallsGoAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, begin := NewBudget(5), time.Now()
		spendOne(t, budget, Weight{IP: 1}, 0)
		for range 3 {
			spendOne(t, budget, Weight{IP: 20, UID: 20}, 0) // each weighs as much as 40 seconds allow
		}
		if since := time.Since(begin); since < 90*time.Second || since > 91*time.Second {
			t.Errorf("the third heavy call began after %v, want 10+2×40 seconds", since)
		}
		spendOne(t, budget, Weight{IP: 1}, 0)
		if since := time.Since(begin); since < 130*time.Second || since > 131*time.Second {
			t.Errorf("the light call after it was sent after %v", since)
		}
	})
}

// A call counts while it is in progress, however long it takes.
func TestBudgetCountsCallsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, begin := NewBudget(10), time.Now()
		_, ended, err := budget.take(background, turn{weight: Weight{IP: 10}})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, ended)
		spendOne(t, budget, Weight{IP: 1}, 0)
		if since := time.Since(begin); since < 70*time.Second || since > 71*time.Second {
			t.Errorf("the next call was sent after %v, want a minute and ten seconds", since)
		}
	})
}

func TestBudgetObeysTheExchange(t *testing.T) {
	for name, test := range map[string]struct {
		used, remaining int
		waits           bool
	}{
		"nothing said":          {-1, -1, false},
		"uses what we think":    {20, 480, false},
		"others use the most":   {390, 110, true},
		"more than there is":    {5000, 0, true},
		"remaining is short":    {-1, 19, true},
		"remaining is enough":   {-1, 20, false},
		"only used, far below":  {0, -1, false},
		"limit smaller than us": {20, 10, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			budget := NewBudget(400)
			_, ended, err := budget.take(background, turn{weight: Weight{IP: 20}})
			if err != nil {
				t.Fatal(err)
			}
			budget.observe(test.used, test.remaining)
			ended()
			begin := time.Now()
			spendOne(t, budget, Weight{IP: 20}, 0)
			if waited := time.Since(begin); test.waits != (waited >= window) || waited > 11*time.Second {
				t.Errorf("%s: waited %v", name, waited)
			}
		})
	}
}

func TestBudgetBan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, begin := NewBudget(100), time.Now()
		budget.ban(20 * time.Second)
		budget.ban(5 * time.Second) // a shorter ban does not shorten it
		if got := budget.State().BannedUntil; !got.Equal(begin.Add(20 * time.Second)) {
			t.Errorf("banned until %v", got)
		}
		spendOne(t, budget, Weight{IP: 1}, 0)
		if since := time.Since(begin); since != 20*time.Second {
			t.Errorf("the call was sent after %v", since)
		}
	})
}

// A caller who gives up leaves no trace and does not delay the others.
func TestBudgetGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget(10)
		spendOne(t, budget, Weight{IP: 10}, 0)
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		var waiting sync.WaitGroup
		for range 5 {
			waiting.Go(func() {
				if _, _, err := budget.take(ctx, turn{weight: Weight{IP: 10}}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("gave up with %v", err)
				}
			})
		}
		begin := time.Now()
		waiting.Wait()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("gave up after %v", took)
		}
		spendOne(t, budget, Weight{IP: 10}, 0)
		if _, _, err := budget.take(ctx, turn{weight: Weight{IP: 1}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call with an ended context was sent: %v", err)
		}
	})
}

func TestBudgetOfNothing(t *testing.T) {
	for _, n := range []int{0, -5} {
		if got := NewBudget(n).State().Limit; got != 1 {
			t.Errorf("NewBudget(%d) allows %d", n, got)
		}
	}
}
