package transport

import (
	"slices"
	"time"
)

// counter is one of the exchange's counts, by address or by user. It separates orders from
// other calls, so that a reserve can be kept for orders.
type counter struct {
	limit int
	open  [2]int  // weight of calls under way in a budget of one process: of other calls, of orders
	spent []spent // weight that ends by time, ordered by until
	sums  [2]int  // of spent: of other calls, of orders
}

// spent is weight that counts until a given moment.
type spent struct {
	weight int
	order  bool
	until  time.Time
	call   string // under way, in a budget that processes share; empty: ended
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

// start counts a call under way. With a name, the call counts for as long as the longest
// one, because its process may die.
func (c *counter) start(weight int, order bool, call string, now time.Time) {
	if call == "" {
		c.open[index(order)] += weight
	} else if weight > 0 {
		c.insert(spent{weight, order, now.Add(longestCall + c.lasting(weight)), call})
	}
}

// end turns the weight of a call under way into spent weight, or removes it if the call was
// not sent.
func (c *counter) end(weight int, order bool, call string, now time.Time, unsent bool) {
	if call == "" {
		c.open[index(order)] -= weight
	} else if at := slices.IndexFunc(c.spent, func(s spent) bool { return s.call == call }); at >= 0 {
		c.spent = slices.Delete(c.spent, at, at+1)
		c.sums[index(order)] -= weight
	}
	if weight > 0 && !unsent {
		until := now.Add(c.lasting(weight))
		if call != "" {
			until = coarse(until)
		}
		c.spend(weight, order, until)
	}
}

// lasting returns how long the weight of a call counts after its end. A call heavier than
// the limit counts for longer, so that the average stays at the limit.
func (c *counter) lasting(weight int) time.Duration {
	whole := max(0, weight-c.limit) // for a call heavier than the limit
	return window + window*time.Duration(whole)/time.Duration(c.limit) + windowMargin
}

// spend counts weight until a moment.
func (c *counter) spend(weight int, order bool, until time.Time) {
	c.insert(spent{weight: weight, order: order, until: until})
}

func (c *counter) insert(s spent) {
	at := len(c.spent) // nearly always, since most weight counts equally long
	for at > 0 && c.spent[at-1].until.After(s.until) {
		at--
	}
	c.sums[index(s.order)] += s.weight
	if at > 0 && s.call == "" {
		if last := &c.spent[at-1]; last.call == "" && last.order == s.order && last.until.Equal(s.until) {
			last.weight += s.weight
			return
		}
	}
	c.spent = slices.Insert(c.spent, at, s)
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
