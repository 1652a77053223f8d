package transport

import (
	"slices"
	"time"
)

// dispatch starts every call that may start, and sets the timer for the next moment at
// which another might. Call it with the lock held after each change.
func (b *Budget) dispatch() {
	now := time.Now()
	if !b.banned.After(now) {
		for t := b.next(now); t != nil; t = b.next(now) {
			b.start(t, now)
		}
	}
	b.wakeAt(b.change(now))
}

// next returns the call that may start now. Orders come first, then an overdue collection
// call, then the classes by rank.
func (b *Budget) next(now time.Time) *turn {
	overdue := b.overdue(now)
	room := Weight{}
	if overdue != nil {
		room = overdue.weight
	}
	t, blocked := b.first(OrderCalls, now, room)
	switch {
	case t != nil:
		return t
	case overdue != nil && b.fits(overdue, now, Weight{}):
		return overdue
	case blocked, overdue != nil && !b.fitsIP(overdue, now, Weight{}):
		return nil
	}
	for p := Interactive; p >= Collection; p-- {
		if t, blocked := b.first(p, now, Weight{}); t != nil || blocked {
			return t
		}
	}
	return nil
}

// first returns the first call of a class that may start. A call that waits for the count
// by address blocks all behind it, because heavy calls would otherwise wait forever. A call
// that waits for a user's count blocks only that user's calls.
func (b *Budget) first(p Priority, now time.Time, room Weight) (t *turn, blocked bool) {
	var full []string
	for _, t := range b.waiting[p] {
		switch {
		case slices.Contains(full, t.user):
		case !b.fitsIP(t, now, room):
			return nil, true
		case b.fits(t, now, room):
			return t, false
		default:
			full = append(full, t.user)
		}
	}
	return nil, false
}

// overdue returns the collection call that has waited too long.
func (b *Budget) overdue(now time.Time) *turn {
	line := b.waiting[Collection]
	if len(line) == 0 || now.Before(b.overdueAt()) {
		return nil
	}
	return line[0]
}

// overdueAt returns when the first collection call will have waited too long.
func (b *Budget) overdueAt() time.Time {
	asked := b.waiting[Collection][0].asked
	if b.collected.After(asked) {
		asked = b.collected
	}
	return asked.Add(patience)
}

func (b *Budget) fitsIP(t *turn, now time.Time, room Weight) bool {
	return b.ip.fits(now, t.weight.IP, t.priority == OrderCalls, b.reserve, room.IP)
}

func (b *Budget) fits(t *turn, now time.Time, room Weight) bool {
	return b.fitsIP(t, now, room) && b.user(t.user).fits(now, t.weight.UID, t.priority == OrderCalls, b.reserve, room.UID)
}

// start starts a call.
func (b *Budget) start(t *turn, now time.Time) {
	b.remove(t)
	order := t.priority == OrderCalls
	b.ip.start(t.weight.IP, order)
	b.user(t.user).start(t.weight.UID, order)
	if t.priority == Collection {
		b.collected = now
	}
	t.going = true
	close(t.ready)
}

func (b *Budget) remove(t *turn) {
	line := b.waiting[t.priority]
	b.waiting[t.priority] = slices.DeleteFunc(line, func(o *turn) bool { return o == t })
}

// change returns the next moment at which time alone may let a waiting call start. It
// returns zero if no such moment exists.
func (b *Budget) change(now time.Time) (next time.Time) {
	waiting := 0
	for _, line := range b.waiting {
		waiting += len(line)
	}
	if waiting == 0 {
		return next
	}
	moments := []time.Time{b.banned, b.ip.next()}
	for _, c := range b.users {
		moments = append(moments, c.next())
	}
	if len(b.waiting[Collection]) > 0 {
		moments = append(moments, b.overdueAt())
	}
	for _, m := range moments {
		if m.After(now) && (next.IsZero() || m.Before(next)) {
			next = m
		}
	}
	return next
}

// wakeAt sets the timer.
func (b *Budget) wakeAt(moment time.Time) {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if moment.IsZero() {
		return
	}
	b.timer = time.AfterFunc(time.Until(moment), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.dispatch()
	})
}
