package web_test

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/reports"
	"rebatedesk/store"
)

// gone is reports over a store that is closed: every question fails.
func gone(t testing.TB) *reports.Service {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "gone.db"), store.Options{})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return reports.New(st, clockAtNow)
}

// panicking is reports with a clock that panics: every question does.
func panicking(t testing.TB) *reports.Service {
	t.Helper()
	return reports.New(openHouse(t).store, func() time.Time { panic("a fault of the fixture") })
}

// gate is a clock that holds up the first pages that ask it, until it is opened.
type gate struct {
	most int64 // how many it holds
	held atomic.Int64
	came chan struct{}
	open chan struct{}
}

// closed is reports of the house behind a gate. A page asks for the time before it
// computes anything, within its place.
func (g *gate) reports(t testing.TB) *reports.Service {
	t.Helper()
	return reports.New(openHouse(t).store, func() time.Time {
		if g.held.Add(1) <= g.most {
			g.came <- struct{}{}
			<-g.open
		}
		return now
	})
}

// newGate holds up as many pages as one user may have computed at once.
func newGate() *gate {
	each := min(max(runtime.GOMAXPROCS(0)/2, 1), 4)
	return &gate{most: int64(each), came: make(chan struct{}, each), open: make(chan struct{})}
}
