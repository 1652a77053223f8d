package sums

import (
	"context"
	"runtime"
	"sync"

	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// half says which lines by UID are read. Each invitee is in one half.
type half int

const (
	wholly half = iota
	evenShards
	oddShards
)

// inHalves reads the invitees of the filter: the two halves at the same time if blocks can
// answer, otherwise all at once. Both halves are of one state. read must be safe to run
// twice at the same time.
func inHalves[T any](ctx context.Context, r *store.Tx, f records.CommissionFilter, read func(*store.Tx, half) (T, error)) ([]T, error) {
	all := func() ([]T, error) {
		one, err := read(r, wholly)
		return []T{one}, err
	}
	if runtime.GOMAXPROCS(0) == 1 || f.UID != "" || !inBlocks(r, f, rollup.ByUID) {
		return all()
	}
	beside, err := r.Beside(ctx)
	if err != nil {
		return nil, err
	}
	if beside == nil { // something was written since
		return all()
	}
	defer beside.Close()
	var work sync.WaitGroup
	var even, odd T
	var oddErr error
	work.Go(func() {
		// Uncaught, a panic here would end the process.
		oddErr = guard.Do(nil, "adding up invitees", func() (err error) {
			odd, err = read(beside, oddShards)
			return err
		})
	})
	defer work.Wait() // also if read panics
	even, err = read(r, evenShards)
	work.Wait()
	if err == nil {
		err = oddErr
	}
	return []T{even, odd}, err
}
