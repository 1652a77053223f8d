package transport

import (
	"slices"
	"time"
)

// tally decides which call may start: it has the weight that counts, the ban, and the calls
// that wait.
type tally struct {
	limit   int
	reserve int
	ip      counter
	users   map[string]*counter
	banned  time.Time

	waiting [priorities][]*turn // in order of arrival
	// collected is when a collection call was last started.
	collected time.Time
}

func newTally(limit, reserve int) tally {
	return tally{limit: limit, reserve: reserve, ip: counter{limit: limit}, users: map[string]*counter{}}
}

// user returns the count of a user.
func (b *tally) user(name string) *counter {
	if b.users[name] == nil {
		b.users[name] = &counter{limit: b.limit}
	}
	return b.users[name]
}

// observe corrects the count by address with the exchange's own figures: used weight that
// we did not know of, and remaining weight below our estimate. Negative values mean not
// given.
func (b *tally) observe(o observation, now time.Time) {
	ours, _ := b.ip.used(now)
	foreign := o.used - ours
	if o.remaining >= 0 {
		foreign = max(foreign, b.limit-ours-o.remaining)
	}
	// Beyond the limit we would wait longer than the exchange remembers.
	if foreign = min(foreign, b.limit-ours); foreign > 0 {
		b.ip.spend(foreign, false, now.Add(window+windowMargin))
	}
}

// ban stops every call until a moment.
func (b *tally) ban(until time.Time) {
	if until.After(b.banned) {
		b.banned = until
	}
}

// next returns the call that may start now. Orders come first, then an overdue collection
// call, then the classes by rank.
func (b *tally) next(now time.Time) *turn {
	if b.banned.After(now) {
		return nil
	}
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
func (b *tally) first(p Priority, now time.Time, room Weight) (t *turn, blocked bool) {
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
func (b *tally) overdue(now time.Time) *turn {
	line := b.waiting[Collection]
	if len(line) == 0 || now.Before(b.overdueAt()) {
		return nil
	}
	return line[0]
}

// overdueAt returns when the first collection call will have waited too long.
func (b *tally) overdueAt() time.Time {
	asked := b.waiting[Collection][0].asked
	if b.collected.After(asked) {
		asked = b.collected
	}
	return asked.Add(patience)
}

func (b *tally) fitsIP(t *turn, now time.Time, room Weight) bool {
	return b.ip.fits(now, t.weight.IP, t.priority == OrderCalls, b.reserve, room.IP)
}

func (b *tally) fits(t *turn, now time.Time, room Weight) bool {
	return b.fitsIP(t, now, room) && b.user(t.user).fits(now, t.weight.UID, t.priority == OrderCalls, b.reserve, room.UID)
}

// start counts a waiting call from now on.
func (b *tally) start(t *turn, now time.Time) {
	b.remove(t)
	b.count(t, now)
	if t.priority == Collection {
		b.collected = now
	}
}

// count counts a call that is under way.
func (b *tally) count(t *turn, now time.Time) {
	order := t.priority == OrderCalls
	b.ip.start(t.weight.IP, order, t.call, now)
	b.user(t.user).start(t.weight.UID, order, t.call, now)
}

// has reports whether a call under way counts.
func (b *tally) has(t *turn) bool {
	here := func(s spent) bool { return s.call == t.call }
	return slices.ContainsFunc(b.ip.spent, here) || slices.ContainsFunc(b.user(t.user).spent, here)
}

// end counts the weight of a call for another ten seconds, or not at all if the call was not
// sent.
func (b *tally) end(t *turn, now time.Time) {
	order := t.priority == OrderCalls
	b.ip.end(t.weight.IP, order, t.call, now, t.unsent)
	b.user(t.user).end(t.weight.UID, order, t.call, now, t.unsent)
}

func (b *tally) remove(t *turn) {
	line := b.waiting[t.priority]
	b.waiting[t.priority] = slices.DeleteFunc(line, func(o *turn) bool { return o == t })
}

// change returns the next moment at which time alone may let a waiting call start. It
// returns zero if no such moment exists.
func (b *tally) change(now time.Time) (next time.Time) {
	if b.idle() {
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

// idle reports whether no call waits.
func (b *tally) idle() bool {
	for _, line := range b.waiting {
		if len(line) > 0 {
			return false
		}
	}
	return true
}
