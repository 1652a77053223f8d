// Package crashpoint names the moments in the communication with other systems at which
// tests end the process: when an answer has arrived and nothing of it is written, and when
// something is written and nothing has been sent. Steps within the database need no names;
// see package internal/crashtest. In the program itself no watcher is set, and a point
// costs one comparison.
package crashpoint

import "sync/atomic"

// Point is such a moment; 0 is none.
type Point int

// The points of the program.
const (
	WindowRead Point = 1 + iota
	SendingCommitted
	OrderAnswered
	Taken
	Talked
	FileMade
	FilePut
	FileManifestPut

	points
)

var names = [points]string{
	WindowRead:       "window: read, not given to the store",
	SendingCommitted: "sending: committed, nothing sent",
	OrderAnswered:    "order: answered, the outcome not written",
	Taken:            "sending: taken up, nothing sent",
	Talked:           "sending: the other side answered, not noted",

	FileMade:        "scheduled delivery: the file made, nothing sent",
	FilePut:         "scheduled delivery: the file sent, not its manifest",
	FileManifestPut: "scheduled delivery: file and manifest sent, an earlier incomplete one not removed",
}

func (p Point) String() string { return names[p] }

var watcher atomic.Pointer[func(Point)]

// Pass reports that the work has reached a point.
func Pass(p Point) {
	if watch := watcher.Load(); watch != nil {
		(*watch)(p)
	}
}

// Watch calls watch at every point, in the goroutine that does the work; nil ends it. It is
// for tests only.
func Watch(watch func(Point)) {
	if watch == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&watch)
}
