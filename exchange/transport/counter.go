package transport

import (
	"slices"
	"time"
)

// counter is one of the exchange's counts, by address or by user. It separates orders from
// other calls, so that a reserve can be kept for orders.
type counter struct {
	limit int
	open  [2]int  // weight of calls under way: of other calls, of orders
	spent []spent // weight of ended calls, ordered by until
	sums  [2]int  // of spent: of other calls, of orders
}

// spent is weight that counts until a given moment.
type spent struct {
	weight int
	order  bool
	until  time.Time
}

// used drops expired weight and returns the rest: of all calls, and of orders.
func (c *counter) used(now time.Time) (all, orders int) {
	expired := 0
	for expired < len(c.spent) && !c.spent[expired].until.After(now) {
		c.sums[index(c.spent[expired].order)] -= c.spent[expired].weight
		expired++
	}
	c.spent = c.spent[expired:]
	orders = c.open[1] + c.sums[1]
	return c.open[0] + c.sums[0] + orders, orders
}

// fits reports whether a call may start. A call may always start if it is the only one; any
// other must stay within the limit. Calls other than orders leave the reserve free. An
// order beyond the reserve leaves the given room free.
func (c *counter) fits(now time.Time, weight int, order bool, reserve, room int) bool {
	if weight == 0 {
		return true
	}
	all, orders := c.used(now)
	switch {
	case all == 0:
		return true
	case all+weight > c.limit:
		return false
	case !order:
		return all-orders == 0 || all-orders+weight <= c.limit-reserve
	}
	return orders+weight <= reserve || all+weight+room <= c.limit
}

func (c *counter) start(weight int, order bool) { c.open[index(order)] += weight }

// end turns the weight of a call under way into spent weight. A call heavier than the limit
// counts for longer, so that the average stays at the limit.
func (c *counter) end(weight int, order bool) {
	c.open[index(order)] -= weight
	if weight > 0 {
		whole := max(0, weight-c.limit) // for a call heavier than the limit
		c.spend(weight, order, window+window*time.Duration(whole)/time.Duration(c.limit))
	}
}

func (c *counter) spend(weight int, order bool, d time.Duration) {
	s := spent{weight, order, time.Now().Add(d + windowMargin)}
	at := len(c.spent) // nearly always, since most weight counts equally long
	for at > 0 && c.spent[at-1].until.After(s.until) {
		at--
	}
	c.spent = slices.Insert(c.spent, at, s)
	c.sums[index(order)] += weight
}

// next returns when some weight expires, or zero if none will.
func (c *counter) next() (next time.Time) {
	if len(c.spent) == 0 {
		return next
	}
	return c.spent[0].until
}

func index(order bool) int {
	if order {
		return 1
	}
	return 0
}
