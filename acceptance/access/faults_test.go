package access_test

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/reports"
	"rebatedesk/store"
)

// closedReports returns reports over a closed store, on which every query fails.
func closedReports(t testing.TB) *reports.Service {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "closed.db"), store.Options{})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return reports.New(st, site.ClockAtNow)
}

// panicking returns reports whose clock panics on every query.
func panicking(t testing.TB) *reports.Service {
	t.Helper()
	return reports.New(site.OpenSharedSite(t).Store, func() time.Time { panic("a fault of the fixture") })
}

// gate is a clock that blocks its first callers until it is opened.
type gate struct {
	most int64 // how many callers it blocks
	held atomic.Int64
	came chan struct{}
	open chan struct{}
}

// reports returns the reports of the shared site with the gate as their clock. A page
// reads the clock before it computes anything, while it holds its place.
func (g *gate) reports(t testing.TB) *reports.Service {
	t.Helper()
	return reports.New(site.OpenSharedSite(t).Store, func() time.Time {
		if g.held.Add(1) <= g.most {
			g.came <- struct{}{}
			<-g.open
		}
		return site.Now
	})
}

// newGate returns a gate that blocks as many pages as the server computes at once for one
// user.
func newGate() *gate {
	each := min(max(runtime.GOMAXPROCS(0)/2, 1), 4)
	return &gate{most: int64(each), came: make(chan struct{}, each), open: make(chan struct{})}
}
