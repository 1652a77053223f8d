package handler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var fewPlaces = limits{all: 4, each: 2, line: 8, patience: 10 * time.Second, pause: time.Second}

// crowd counts the busy users, and checks that none has more places than allowed.
type crowd struct {
	*testing.T
	places *places

	mutex sync.Mutex
	busy  map[string]int
	order []string // order in which they got their places
}

func newCrowd(t *testing.T, l limits) *crowd {
	return &crowd{T: t, places: newPlaces(l), busy: map[string]int{}}
}

// work holds a place for a duration.
func (c *crowd) work(ctx context.Context, user string, lasts time.Duration) error {
	leave, ok := c.places.tryEnter(user)
	if !ok {
		var err error
		if leave, err = c.places.enter(ctx, user); err != nil {
			return err
		}
	}
	defer leave()
	c.mutex.Lock()
	c.busy[user]++
	c.order = append(c.order, user)
	all := 0
	for _, n := range c.busy {
		all += n
	}
	if all > c.places.all || c.busy[user] > c.places.each {
		c.Errorf("%d at once, of them %d of %s", all, c.busy[user], user)
	}
	c.mutex.Unlock()
	time.Sleep(lasts)
	c.mutex.Lock()
	c.busy[user]--
	c.mutex.Unlock()
	return nil
}

// A single request among endless ones waits for few of them: it gets a free place at
// once, and otherwise waits for at most as many requests of each other user as the common
// queue holds.
func TestPlacesAreFair(t *testing.T) {
	for others := 1; others <= 6; others++ {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, fewPlaces)
			var all sync.WaitGroup
			for other := range others {
				for range c.places.each + c.places.line {
					all.Go(func() {
						if err := c.work(t.Context(), fmt.Sprint("flooder", other), time.Second); err != nil && others <= 2 {
							t.Error(err)
						}
					})
				}
			}
			synctest.Wait()
			before := len(c.order)
			began := time.Now()
			if err := c.work(t.Context(), "somebody", time.Second); err != nil {
				t.Errorf("beside %d others: %v", others, err)
			}
			waited := time.Since(began) - time.Second
			c.mutex.Lock()
			order := slices.Clone(c.order)
			c.mutex.Unlock()
			behind := 0
			for order[before+behind] != "somebody" {
				behind++
			}
			if most := max(0, others*c.places.each-c.places.all); behind > most+c.places.all || waited > time.Duration(most/c.places.all+1)*time.Second {
				t.Errorf("beside %d others: behind %d of theirs, %v", others, behind, waited)
			}
			if others == 1 && waited != 0 {
				t.Errorf("with one other reader and free places there was a wait of %v", waited)
			}
			all.Wait()
		})
	}
}

// A queue has a limited length, a refusal is delayed, and a refused request learns
// whether it waited for the user's own places or for all places.
func TestPlacesRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, fewPlaces)
		refused := func(user string, own bool, after time.Duration) {
			t.Helper()
			began := time.Now()
			var crowded *NoPlace
			if err := c.work(t.Context(), user, time.Second); !errors.As(err, &crowded) || crowded.Own != own || time.Since(began) != after {
				t.Errorf("%s: waited %v beyond %v, want %v beyond, own time %v", user, err, time.Since(began), after, own)
			}
		}
		var all sync.WaitGroup
		for _, user := range []string{"ann", "bob"} {
			for range c.places.each {
				all.Go(func() {
					if err := c.work(t.Context(), user, time.Minute); err != nil {
						t.Error(err)
					}
				})
			}
		}
		synctest.Wait()
		refused("ann", true, c.places.patience)
		refused("eve", false, c.places.patience)
		for range c.places.line {
			all.Go(func() { refused("ann", true, c.places.patience) })
		}
		synctest.Wait()
		refused("ann", true, c.places.pause)
		all.Wait()
		if err := c.work(t.Context(), "eve", time.Second); err != nil {
			t.Errorf("after the others have left: %v", err)
		}
	})
}

// A client that disconnects while it waits leaves its queue without a trace.
func TestPlacesOfDisconnectedClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, fewPlaces)
		gone, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range c.places.each + c.places.line {
			all.Go(func() {
				if err := c.work(gone, "ann", time.Minute); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		c.places.mutex.Lock() // the working users leave later
		n := c.places.users["ann"].present
		c.places.mutex.Unlock()
		if n != c.places.each {
			t.Errorf("after the waiting readers have left, %d are present, want %d", n, c.places.each)
		}
		all.Wait()
		if len(c.places.users) != 0 {
			t.Errorf("%v are remembered although no reader is present", c.places.users)
		}
	})
}

// The end of a crowd is reported, and a few requests are not a crowd.
func TestPlacesEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, fewPlaces)
		var told []time.Duration
		began := time.Now()
		c.places.emptied = func() { told = append(told, time.Since(began)) }
		together := func(n int) {
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					if err := c.work(t.Context(), "ann", time.Second); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		together(c.places.each)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) > 0 {
			t.Errorf("reported after %v although no reader waited", told)
		}
		began = time.Now()
		together(2 * c.places.each) // two seconds
		time.Sleep(time.Second / 2)
		together(1)
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := 7*time.Second/2 + quietAfter; len(told) != 1 || told[0] != want {
			t.Errorf("reported after %v, want once, after %v", told, want)
		}
	})
}

// With any arrivals and departures each user is served or refused, and in the end all
// places are free.
func TestPlacesAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, fewPlaces)
		random := rand.New(rand.NewPCG(7, 12))
		var all sync.WaitGroup
		for range 2000 {
			user, lasts, stays := fmt.Sprint("user", random.IntN(6)), time.Duration(random.IntN(900))*time.Millisecond, time.Duration(random.IntN(15))*time.Second
			all.Go(func() {
				ctx, stop := context.WithTimeout(t.Context(), stays)
				defer stop()
				var crowded *NoPlace
				if err := c.work(ctx, user, lasts); err != nil && !errors.As(err, &crowded) && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
			time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
		}
		all.Wait()
		if len(c.places.users) != 0 || !c.places.free.TryAcquire(int64(c.places.limits.all)) {
			t.Errorf("places are lost: %v", c.places.users)
		}
		if len(c.order) < 500 {
			t.Errorf("only %d of 2000 were served", len(c.order))
		}
	})
}
