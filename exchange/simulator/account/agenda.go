package account

import (
	"slices"
	"sort"
)

// agenda lists the future events of an account by time; simultaneous ones in the order
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

// next is when the next thing is due; never where there is nothing.
func (a agenda) next() int64 {
	if len(a) == 0 {
		return never
	}
	return a[0].at
}

// keepNext does the next thing.
func (a *agenda) keepNext() {
	first := (*a)[0]
	*a = slices.Delete(*a, 0, 1)
	first.keep(first.at)
}
