package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// nodeClient returns a client of a node: with the budget of a store of its own.
func nodeClient(t testing.TB, place string, sim *simulator.Server, perWindow int) (*weex.Client, *store.Store) {
	t.Helper()
	st := storetest.OpenAt(t, place, store.Options{})
	client, err := weex.New(exchange.Config{
		BaseURL: sim.BaseURL, Key: exchange.Secret(sim.APIKey), Secret: exchange.Secret(sim.APISecret), Passphrase: exchange.Secret(sim.APIPassphrase),
		Budget: newBudget(config.Config{RateBudget: perWindow}, st), BanWait: time.Second, Tries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, st
}

func limitedExchange(t testing.TB, o simulator.Options) *simulator.Server {
	t.Helper()
	o.Seed, o.Days, o.Invitees, o.Records = 1, 3, 3, 20
	sim, err := simulator.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return sim
}

// Three nodes that call as fast as they can never exceed the exchange's limit together, and
// use nearly all of it. A node that writes for a long time delays no call.
func TestNodesShareTheBudget(t *testing.T) {
	t.Parallel()
	storetest.PostgresOnly(t)
	const limit, callers = 60, 6
	sim := limitedExchange(t, simulator.Options{RateLimit: limit})
	place := storetest.Empty(t)
	begun := time.Now()
	writing, stop := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	var mu sync.Mutex
	calls := 0
	for node := range 3 {
		client, st := nodeClient(t, place, sim, limit)
		if node == 0 {
			work.Go(func() {
				err := st.UpdateQuietly(t.Context(), func(*store.Tx) error {
					close(writing)
					<-stop
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		<-writing
		for range callers {
			work.Go(func() {
				for time.Since(begun) < 11*time.Second {
					if _, err := client.ServerTime(t.Context()); err != nil {
						t.Errorf("node %d: %v", node, err)
						return
					}
					mu.Lock()
					if calls++; calls == limit {
						close(stop)
					}
					mu.Unlock()
				}
			})
		}
	}
	work.Wait()
	if stats := sim.Stats(); stats.Exceeded != 0 {
		t.Errorf("%d calls were refused", stats.Exceeded)
	}
	// Calls of the second ten seconds: how many is up to the machine.
	if calls < limit+limit/4 || calls > 3*limit {
		t.Errorf("%d calls in %v, with a limit of %d", calls, time.Since(begun), limit)
	}
}

// A ban that one node was told holds another, and so does the end of the database: without it
// no call is sent.
func TestNodesShareBans(t *testing.T) {
	t.Parallel()
	storetest.PostgresOnly(t)
	sim := limitedExchange(t, simulator.Options{RateLimit: -1, Rules: []simulator.FaultRule{{Fault: simulator.RateLimited, Every: 1, Limit: 1}}})
	place, name := storetest.NewDatabase(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
	first, _ := nodeClient(t, place, sim, 400)
	second, _ := nodeClient(t, place, sim, 400)
	if _, err := second.ServerTime(t.Context()); !errors.Is(err, exchange.ClassRateLimit) {
		t.Fatalf("the first call of all got %v", err)
	}
	begun := time.Now()
	// A node tells a ban at once, and not before its call ends. A call of its own that waits shows that it is told.
	waits, end := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer end()
	if _, err := second.ServerTime(waits); err == nil {
		t.Error("the banned node called")
	}
	if _, err := first.ServerTime(t.Context()); err != nil {
		t.Error(err)
	}
	if waited := time.Since(begun); waited < time.Second || waited > 3*time.Second {
		t.Errorf("the other node called after %v", waited)
	}
	requests := sim.Stats().All()
	storetest.CutOff(t, name)
	_, err := first.ServerTime(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the request budget that all nodes share cannot be asked") || !exchange.LeftNothing(err) {
		t.Errorf("without the database a call got %v", err)
	}
	if got := sim.Stats().All(); got != requests {
		t.Error("a call was sent without the database")
	}
}

// BenchmarkCall is a call to an exchange on this machine, which answers at once: with the
// budget in a file's process, and with the one that nodes share.
func BenchmarkCall(b *testing.B) {
	sim := limitedExchange(b, simulator.Options{RateLimit: -1})
	file := fmt.Sprint(b.TempDir(), "/desk.db")
	for name, place := range map[string]string{"file": file, "shared": storetest.PostgresOnly(b)} {
		b.Run(name, func(b *testing.B) {
			if name == "shared" {
				place = storetest.Empty(b)
			}
			client, _ := nodeClient(b, place, sim, math.MaxInt32)
			for b.Loop() {
				if _, err := client.ServerTime(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
