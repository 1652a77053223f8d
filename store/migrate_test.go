package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// A server, a command and an export may all begin at a database that is not
// there yet.
func TestOpeningTogether(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "new.db")
		failures := make([]error, 8)
		var openers sync.WaitGroup
		for i := range failures {
			openers.Go(func() {
				s, err := store.Open(context.Background(), path, store.Options{})
				if err == nil {
					err = errors.Join(upkeep.Check(context.Background(), s), s.Close())
				}
				failures[i] = err
			})
		}
		openers.Wait()
		if err := errors.Join(failures...); err != nil {
			t.Fatal(err)
		}
	}
}
