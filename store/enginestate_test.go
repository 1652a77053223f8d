package store_test

import (
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// A file tells its engine, and has no servers around it.
func TestStateOfAFile(t *testing.T) {
	state, err := storetest.Open(t, store.Options{}).EngineState(t.Context())
	if err != nil || state.Engine != store.SQLite || !strings.HasPrefix(state.Version, "3.") || state.ClockAhead != 0 || state.ReadOnly || len(state.Standbys)+len(state.Workers)+len(state.Nodes) > 0 {
		t.Errorf("%+v, %v", state, err)
	}
}

// The coordinator of Citus tells which workers it reaches.
func TestCitusWorkersAreReached(t *testing.T) {
	place := storetest.Citus(t)
	s := storetest.OpenAt(t, place, store.Options{Node: "web-1"})
	all := len(storetest.Workers(t))
	reached := func(want int) {
		t.Helper()
		state, err := s.EngineState(t.Context())
		if err != nil || state.Citus == "" || len(state.Workers) != all || state.ReachableWorkers() != want {
			t.Errorf("%+v, %v; want %d of %d workers", state, err, want, all)
		}
	}
	reached(all)
	back := storetest.StopWorker(t, place, 0)
	reached(all - 1)
	back()
	reached(all)
}
