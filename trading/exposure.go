package trading

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/orders"
)

const (
	// lookBack is how long an identical order counts as a mistake.
	lookBack = 30 * time.Second
	// overdue is how much longer than the maximum duration of a call an order may be in
	// flight before its outcome counts as unknown.
	overdue = time.Minute
	day     = 24 * time.Hour
)

// exposure checks the rules that depend on what was sent so far.
func (c *check) exposure(ctx context.Context) {
	r, err := c.o.Store.Read(ctx)
	if err != nil {
		c.say(RuleBlock, VerdictUnknown, "The orders sent so far are unknown: %v.", err)
		return
	}
	defer r.Close()
	now, err := orders.ReadExposure(ctx, r, c.exposureQuery(c.Draft.Account, c.Draft.Pair))
	if err != nil {
		c.say(RuleBlock, VerdictUnknown, "The orders sent so far are unknown: %v.", err)
		return
	}
	c.Lines = append(c.Lines, c.exposureLines(c.Draft, now)...)
	last := c.Lines[len(c.Lines)-1]
	if last.Rule == RuleDayCap && last.Verdict == VerdictFail && len(c.Draft.Orders) == 1 {
		o := c.Draft.Orders[0]
		left := c.o.Caps.Day.Decimal()
		if spent := now.Spent[o.Coin]; spent.Known() {
			left = left.Sub(spent.Decimal())
		}
		c.within(o, left)
	}
}

func (d *Desk) exposureQuery(account affiliate.Account, pair string) orders.ExposureQuery {
	now := d.o.Now().UTC()
	return orders.ExposureQuery{
		Account: account, Pair: pair,
		Day: affiliate.MillisOf(now.Truncate(day)), Recent: affiliate.MillisOf(now.Add(-lookBack)),
		Overdue: affiliate.MillisOf(now.Add(-d.o.Patience - overdue)),
	}
}

// exposureLines returns the results of the rules that depend on what was sent so far. They
// are checked twice: for the review, and in the transaction that claims an intent for
// sending.
func (d *Desk) exposureLines(draft Draft, now orders.Exposure) []FlightLine {
	c := &check{Desk: d, Flight: Flight{Draft: draft}}
	if now.Switch.Stopped {
		c.say(RuleKill, VerdictFail, "Trading is stopped, by %s: %s", orNobody(now.Switch.By), now.Switch.Why)
	} else {
		c.say(RuleKill, VerdictPass, "Trading is not stopped.")
	}
	if !draft.places() {
		return c.Lines
	}
	c.blocks(now.Blocking)
	c.duplicates(now.Recent)
	c.dayCap(now.Spent)
	return c.Lines
}

// blocks fails orders on a side of the pair on which another order has an unknown outcome.
// An unknown cancellation has no side, and blocks both.
func (c *check) blocks(unknown []orders.Unsettled) {
	for _, u := range unknown {
		for n, o := range c.Draft.Orders {
			if u.Side == "" || u.Side == o.Side {
				c.about(n, "", RuleBlock, VerdictFail, "What became of %s of intent %s is unknown: resolve that first.", kindOf(u.IntentOrder), u.Intent)
				return
			}
		}
	}
	c.say(RuleBlock, VerdictPass, "No outcome on this side of %s is unknown.", c.pairName())
}

func kindOf(o Order) string {
	if o.Side == "" {
		return "a cancellation"
	}
	return fmt.Sprintf("the order to %s", o.Side)
}

// duplicates fails an order that was sent a moment ago, or occurs twice in the draft,
// unless that is intended.
func (c *check) duplicates(recent []Order) {
	if c.Draft.Again {
		c.say(RuleDuplicate, VerdictPass, "The same order again is meant.")
		return
	}
	for n, o := range c.Draft.Orders {
		for _, before := range slices.Concat(recent, c.Draft.Orders[:n]) {
			if same(o, before) {
				c.about(n, "", RuleDuplicate, VerdictFail, "The same order was sent within the last %v, or stands in the list twice: say that it is meant.", lookBack)
				return
			}
		}
	}
	c.say(RuleDuplicate, VerdictPass, "No such order was sent within the last %v.", lookBack)
}

// same reports whether two orders request the same, however their numbers are written.
func same(a, b Order) bool {
	return a.Side == b.Side && a.Type == b.Type && a.Action == b.Action &&
		a.Price.Canonical() == b.Price.Canonical() && a.Quantity.Canonical() == b.Quantity.Canonical() &&
		a.TriggerPrice.Canonical() == b.TriggerPrice.Canonical()
}

// dayCap checks the orders, together with those of the day, against the cap of a day.
func (c *check) dayCap(spent map[affiliate.Coin]affiliate.Number) {
	most := c.o.Caps.Day
	if !most.Known() {
		c.say(RuleDayCap, VerdictPass, "There is no cap of a day.")
		return
	}
	sums := map[affiliate.Coin]*affiliate.Sum{}
	for n, o := range c.Draft.Orders {
		if sums[o.Coin] == nil {
			sums[o.Coin] = new(affiliate.Sum)
			sums[o.Coin].Add(spent[o.Coin])
		}
		if o.Coin == "" || !o.Worth.Known() || !sums[o.Coin].Add(o.Worth) {
			c.about(n, "", RuleDayCap, VerdictUnknown, "The order's value is unknown, so the day's cap of %s cannot be checked.", most)
			return
		}
	}
	for coin, sum := range sums {
		verdict := VerdictPass
		if sum.Decimal().GreaterThan(most.Decimal()) {
			verdict = VerdictFail
		}
		c.say(RuleDayCap, verdict, "With this the orders of the UTC day are worth up to %s %s; the cap is %s.", sum, coin, most)
	}
}

func orNobody(name string) string {
	if name == "" {
		return "nobody known"
	}
	return name
}
