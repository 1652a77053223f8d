package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"rebatedesk/internal/guard"
	"rebatedesk/store"
)

// LookEvery is how often due periods, and runs of the collector that have ended, are looked for.
// Periods are due to the minute.
const LookEvery = 30 * time.Second

// Run looks for what is due until ctx ends: every so often, and whenever it is woken or another
// process asks for it.
func Run(ctx context.Context, every time.Duration, wake, asked <-chan struct{}, look func()) {
	for {
		look()
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-asked:
		case <-time.After(every):
		}
	}
}

// Wake wakes the receiver of a channel of one without blocking.
func Wake(waiting chan<- struct{}) {
	select {
	case waiting <- struct{}{}:
	default: // a wake-up is pending already
	}
}

// Workers send what is due. Each place to which something is sent has workers of its own, so that
// one that hangs delays no other.
type Workers struct {
	Log   *slog.Logger
	mutex sync.Mutex
	busy  map[int64]int // workers of a place
	work  sync.WaitGroup
}

// Start gives a place another worker, unless it has most of them. The errors and panics of its work
// are logged.
func (w *Workers) Start(place int64, most int, what string, work func() error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.busy[place] >= most {
		return
	}
	if w.busy == nil {
		w.busy = map[int64]int{}
	}
	w.busy[place]++
	w.work.Go(func() {
		defer w.end(place)
		Safely(w.Log, what, work)
	})
}

func (w *Workers) end(place int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.busy[place]--
}

// Wait waits until no worker is left.
func (w *Workers) Wait() { w.work.Wait() }

// Safely runs work and logs its errors and panics: sending must end neither the process nor itself.
func Safely(log *slog.Logger, what string, work func() error) {
	if err := guard.Do(log, what, work); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrSuperseded) {
		log.Error(what+" failed", "error", err)
	}
}
