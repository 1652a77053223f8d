package handler

import (
	"context"
	"sync"
)

// readers are the clients that download the files being written.
type readers struct {
	mutex sync.Mutex
	of    map[*exportBody]string // the user of each file
}

// add registers a reader until the returned cancel function is called.
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

// giveWay makes the slowest reader of the users with the most files give way to a
// waiting user with fewer. It ends one download at a time, and never one whose reader
// was hardly waited for: that file is slow to make, and its reader is not slow.
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
