package store_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// Changes of two stores follow each other, and a server that crashed says that changes may be
// lost, until the next one is stored.
func TestRateBudget(t *testing.T) {
	storetest.PostgresOnly(t)
	server := storetest.NewServer(t)
	place := server.Empty()
	stores := []*store.Store{storetest.OpenAt(t, place, store.Options{}), storetest.OpenAt(t, place, store.Options{})}
	change := func(s *store.Store, f func(state []byte, lost bool) []byte) {
		t.Helper()
		err := s.RateBudget().Change(t.Context(), func(state []byte, now time.Time, lost bool) ([]byte, error) {
			if off := time.Since(now).Abs(); off > time.Minute {
				t.Errorf("the server's clock is off by %v", off)
			}
			return f(state, lost), nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	const each = 50
	var work sync.WaitGroup
	for _, s := range stores {
		work.Go(func() {
			for range each {
				change(s, func(state []byte, lost bool) []byte {
					if lost {
						t.Error("a change is lost without a crash")
					}
					return append(state, 'x')
				})
			}
		})
	}
	work.Wait()
	read := func(wantLost bool, next []byte) {
		t.Helper()
		change(stores[0], func(state []byte, lost bool) []byte {
			if lost != wantLost {
				t.Errorf("lost: %v, want %v", lost, wantLost)
			}
			if !wantLost && len(state) != 2*each {
				t.Errorf("%d changes, want %d", len(state), 2*each)
			}
			return next
		})
	}
	read(false, nil)
	server.Kill()
	server.Wake()
	for range 5 { // its connections are gone
		if stores[0].RateBudget().Change(t.Context(), func([]byte, time.Time, bool) ([]byte, error) { return nil, nil }) == nil {
			break
		}
	}
	read(true, nil)
	read(true, bytes.Repeat([]byte("x"), 2*each))
	read(false, nil)
}

// A file has no budget to share.
func TestRateBudgetOfAFile(t *testing.T) {
	if storetest.Open(t, store.Options{}).RateBudget() != nil {
		t.Error("a file has a budget that processes share")
	}
}
