package access

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPasswordHash(t *testing.T) {
	h := newHasher(fullCost)
	text, err := h.hash(t.Context(), "Ångström-with-cream")
	done(t, err)
	if !strings.HasPrefix(text, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("stored as %s", text)
	}
	for password, want := range map[string]bool{
		"Ångström-with-cream":             true,
		"A\u030Angstro\u0308m-with-cream": true, // typed on another keyboard
		"Ångström-with-creaM":             false,
		"":                                false,
	} {
		if got, err := h.matches(t.Context(), text, password); err != nil || got != want {
			t.Errorf("%q matches: %v, %v", password, got, err)
		}
	}
	if one, two := newHasher(cheap).unknown, newHasher(cheap).unknown; one == two {
		t.Error("salts repeat")
	}
}

func TestBrokenHashes(t *testing.T) {
	h := newHasher(cheap)
	good := h.unknown
	for _, text := range []string{
		"", "x", "$argon2i" + good[9:], strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "m=8", "m=99999999", 1),
		strings.Replace(good, "t=1", "t=0", 1), strings.Replace(good, "t=1", "t=999999", 1), strings.Replace(good, "p=1", "p=0", 1),
		good[:len(good)-4], good + "AAAA", strings.Replace(good, "p=1$", "p=1$!", 1), good[:strings.LastIndex(good, "$")],
	} {
		before := h.computed.Load()
		if ok, err := h.matches(t.Context(), text, "x"); !errors.Is(err, errHash) || ok || h.computed.Load() != before {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
}

// Two are computed at once, sixteen wait, and the others are refused at once. The memory of
// a flood stays that of two computations and their garbage.
func TestFloodOfSignIns(t *testing.T) {
	d := newFixture(t)
	d.hasher = newHasher(cost{memory: fullCost.memory, rounds: 1, threads: 1}) // all of the memory in a third of the time
	d.add("ann", Viewer)
	before := d.hasher.computed.Load()
	var most uint64
	watching, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-watching:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	const n = 200
	results := make(chan error, n)
	var ready sync.WaitGroup
	ready.Add(n)
	for i := range n {
		go func() {
			ready.Done()
			ready.Wait()
			from := at(fmt.Sprintf("198.51.%d.7", i)) // each in a separate network
			_, err := d.SignIn(t.Context(), "ann", "wrong", from)
			results <- err
		}()
	}
	count := map[error]int{}
	for range n {
		count[<-results]++
	}
	close(watching)
	<-stopped
	computed := d.hasher.computed.Load() - before
	t.Logf("%d computed, %d busy, heap %d MiB", computed, count[ErrBusy], most>>20)
	if count[ErrBusy]+count[ErrWrong] != n || int64(count[ErrWrong]) != computed || count[ErrBusy] == 0 {
		t.Errorf("answers: %v", count)
	}
	if computed < computations+queueSize {
		t.Errorf("%d were computed", computed)
	}
	if limit := uint64(230 << 20); most > limit {
		t.Errorf("the heap grew to %d MiB", most>>20)
	}
}

// A flood of strangers leaves room for those whose browser is known.
func TestReservedPlaces(t *testing.T) {
	h := newHasher(cheap)
	for range computations + queueSize {
		_, err := h.enter(false)
		done(t, err)
	}
	_, err := h.enter(false)
	wants(t, err, ErrBusy)
	leave, err := h.enter(true)
	done(t, err)
	leave()
}

// No password is computed for a client that no longer waits for the answer.
func TestGivenUpIsNotComputed(t *testing.T) {
	h := newHasher(cheap)
	for range computations {
		h.running <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.hash(ctx, "x")
	wants(t, err, context.Canceled)
	if h.computed.Load() != 0 {
		t.Error("it was computed")
	}
}
