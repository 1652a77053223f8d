package handler

import (
	"context"
	"sync"
)

// readers are who takes the files that are being written.
type readers struct {
	mutex sync.Mutex
	of    map[*exportBody]string // by whom
}

// add notes a reader, until the cancel that it gives is called.
func (r *readers) add(user string, body *exportBody, cancel context.CancelFunc) context.CancelFunc {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.of == nil {
		r.of = map[*exportBody]string{}
	}
	r.of[body] = user
	return func() {
		r.mutex.Lock()
		delete(r.of, body)
		r.mutex.Unlock()
		cancel()
	}
}

// giveWay has the slowest reader of the users with the most files give way to a
// user with fewer, who waits. One at a time, and none who was hardly waited for:
// there the file takes its time, and not its reader.
func (r *readers) giveWay(user string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	held, most := map[string]int{}, 0
	for body, by := range r.of {
		if body.givesWay() {
			return // its place will be free in a moment
		}
		held[by]++
		most = max(most, held[by])
	}
	var slowest *exportBody
	var least float64
	for body, by := range r.of {
		if held[by] < most || most <= held[user] {
			continue
		}
		if line, known := body.line(); known && (slowest == nil || line < least) {
			slowest, least = body, line
		}
	}
	if slowest != nil {
		slowest.giveWay()
	}
}
