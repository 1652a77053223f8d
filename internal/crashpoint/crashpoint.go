// Package crashpoint names the moments around the talk with others at which tests end
// the process: where an answer is there and nothing of it is written, and where
// something is written and nothing was sent. What happens within the database needs no
// names; see package internal/crashtest. In the program itself nobody watches, and a
// point costs one comparison.
package crashpoint

import "sync/atomic"

// Point is such a moment; 0 is none.
type Point int

// The points.
const (
	WindowRead Point = 1 + iota
	SendingCommitted
	OrderAnswered
	DeliveryTaken
	DeliveryTalked

	points
)

var names = [points]string{
	WindowRead:       "window: read, not given to the store",
	SendingCommitted: "sending: committed, nothing sent",
	OrderAnswered:    "order: answered, the outcome not written",
	DeliveryTaken:    "delivery: taken up, nothing sent",
	DeliveryTalked:   "delivery: the server answered, not noted",
}

func (p Point) String() string { return names[p] }

var watcher atomic.Pointer[func(Point)]

// Pass says that the work has come to a point.
func Pass(p Point) {
	if watch := watcher.Load(); watch != nil {
		(*watch)(p)
	}
}

// Watch has every point told to watch, in the goroutine that does the work; nil ends
// it. It is for tests only.
func Watch(watch func(Point)) {
	if watch == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&watch)
}
