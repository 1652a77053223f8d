package console

import (
	"sync"
	"sync/atomic"
)

// bell wakes streams when an order was prepared or sent here, or sending was stopped.
type bell struct {
	Rings     atomic.Uint64
	mutex     sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Ring wakes all streams.
func (b *bell) Ring() {
	b.Rings.Add(1)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for heard := range b.listeners {
		select {
		case heard <- struct{}{}:
		default: // it was told already and has not looked yet
		}
	}
}

// listen returns a channel that receives a value after each ring. The caller must leave.
func (b *bell) listen() (heard chan struct{}, leave func()) {
	heard = make(chan struct{}, 1)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.listeners == nil {
		b.listeners = map[chan struct{}]struct{}{}
	}
	b.listeners[heard] = struct{}{}
	return heard, func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		delete(b.listeners, heard)
	}
}
