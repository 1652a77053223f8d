package trading

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// PairReading is what was read of a pair some time ago, for a check that asks the exchange
// nothing.
type PairReading struct {
	Known  bool             // the exchange's list of pairs was read
	Listed bool             // the pair is in that list, or the contract market answers for it
	Rules  weex.TradingPair // of a spot pair
	Last   affiliate.Number // last price; unknown: none was read
	Age    time.Duration    // of the last price
	Coin   affiliate.Coin   // quote coin of a contract pair; empty: unknown
}

// readingAge is the age up to which a price that was read before is good for a preview.
const readingAge = 30 * time.Second

// Preview checks a draft by the rules of [Desk.Check], with rules and prices that were read
// before. It costs no call of the exchange, so a form may use it as a user types; what is
// missing in the draft does not keep it from checking the rest. Nothing is sent on a preview:
// [Desk.Prepare] and [Desk.Send] read everything again.
func (d *Desk) Preview(ctx context.Context, draft Draft, r PairReading) Flight {
	now := d.o.Now()
	c := &check{Desk: d, Flight: Flight{Draft: draft, At: affiliate.MillisOf(now), made: now}}
	c.Draft.Orders = slices.Clone(draft.Orders)
	c.desk()
	c.form()
	c.listed(r)
	c.lastRead(r)
	whole := len(c.Draft.Orders) > 0
	for n := range c.Draft.Orders {
		if !c.previewOrder(n, r) {
			whole = false
		}
	}
	if whole {
		c.exposure(ctx)
	}
	return c.Flight
}

func (c *check) listed(r PairReading) {
	switch {
	case !r.Known:
		c.say(RulePair, VerdictUnknown, "The rules of %s were not read yet.", c.pairName())
	case !r.Listed:
		c.about(-1, "symbol", RulePair, VerdictFail, "The exchange does not list %s.", exactPair(c.Draft.Pair))
	case c.Draft.Kind == Trigger:
		c.say(RulePair, VerdictPass, "%s is listed.", c.pairName())
	default:
		c.rules = r.Rules
		c.say(RulePair, VerdictPass, "%s is listed: %s for %s.", c.pairName(), r.Rules.BaseCoin, r.Rules.QuoteCoin)
		c.enabled(r.Rules)
	}
}

func (c *check) lastRead(r PairReading) {
	switch age := r.Age.Round(100 * time.Millisecond); {
	case !r.Last.Known() || r.Last.Cmp("0") <= 0:
		c.say(RuleTicker, VerdictUnknown, "No price of %s was read yet.", c.pairName())
	case age > readingAge:
		c.say(RuleTicker, VerdictUnknown, "The last price of %s, %s, was read %v ago: it is too old to check against.", c.pairName(), r.Last, age)
	default:
		c.Last = r.Last
		c.say(RuleTicker, VerdictPass, "The last price of %s, %s, was read %v ago. It is read again before anything is sent.", c.pairName(), r.Last, age)
	}
}

// previewOrder checks one order as far as its fields have values, and reports whether they
// all have.
func (c *check) previewOrder(n int, r PairReading) bool {
	o := &c.Draft.Orders[n]
	priced, sized := plainNumber(o.Price), plainNumber(o.Quantity)
	if c.Draft.Kind == Trigger {
		whole := priced && sized && plainNumber(o.TriggerPrice)
		if whole && c.Last.Known() {
			c.triggerWorth(o, r.Coin)
			c.orderCap(n, *o)
		}
		return whole && c.Last.Known()
	}
	market := o.Type == string(weex.Market)
	whole := sized && (priced || market)
	if c.rules.Symbol == "" {
		return false
	}
	if whole {
		c.spotRules(n, o, c.rules)
		return true
	}
	if sized {
		c.step(n, o, c.rules.StepSize)
		c.bound(n, RuleMin, "at least", o.Quantity, c.rules.MinTradeAmount, -1)
		c.bound(n, RuleMax, "at most", o.Quantity, c.rules.MaxTradeAmount, 1)
	}
	if priced && !market {
		c.tick(n, o.Price, c.rules.TickSize)
		c.ratio(n, *o, c.rules)
	}
	return false
}

// plainNumber reports whether a field of an order has a value that the form takes.
func plainNumber(value affiliate.Number) bool {
	again, err := affiliate.ParseNumber(string(value))
	return err == nil && again == value && value[0] != '-' && !value.IsZero()
}
