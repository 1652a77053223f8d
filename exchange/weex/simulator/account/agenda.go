package account

import (
	"slices"
	"sort"
)

// agenda lists the future events of an account by time. Simultaneous events keep the order
// in which they were entered.
type agenda []appointment

type appointment struct {
	at   int64 // ms
	keep func(at int64)
}

func (a *agenda) enter(at int64, keep func(at int64)) {
	i := sort.Search(len(*a), func(i int) bool { return (*a)[i].at > at })
	*a = slices.Insert(*a, i, appointment{at, keep})
}

// next returns when the next event is due, or never if the agenda is empty.
func (a agenda) next() int64 {
	if len(a) == 0 {
		return never
	}
	return a[0].at
}

// keepNext runs the next event.
func (a *agenda) keepNext() {
	first := (*a)[0]
	*a = slices.Delete(*a, 0, 1)
	first.keep(first.at)
}
