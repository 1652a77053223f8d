package trading

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// step rounds a quantity that a user entered down to the step, and reports it. A quantity
// from a program is refused instead.
func (c *check) step(n int, o *Order, step affiliate.Number) {
	if !above0(step) {
		c.about(n, "quantity", RuleStep, VerdictUnknown, "The exchange gives no step size of %s.", c.pairName())
		return
	}
	typed := o.Quantity
	rest := typed.Decimal().Mod(step.Decimal())
	switch {
	case rest.IsZero():
		c.about(n, "quantity", RuleStep, VerdictPass, "The quantity %s is a multiple of the step %s.", typed, step)
	case c.Draft.Source == FromProxy || c.again:
		c.about(n, "quantity", RuleStep, VerdictFail, "The quantity %s is not a multiple of the step %s.", typed, step)
		c.nearest("quantity", number(typed.Decimal().Sub(rest)), number(typed.Decimal().Sub(rest).Add(step.Decimal())))
	default:
		o.Quantity = number(typed.Decimal().Sub(rest))
		if o.Quantity.IsZero() {
			c.about(n, "quantity", RuleStep, VerdictFail, "The quantity %s is less than the step %s.", typed, step)
			least := step.Decimal()
			if c.rules.MinTradeAmount.Known() {
				least = decimal.Max(least, c.rules.MinTradeAmount.Decimal())
			}
			c.nearest("quantity", c.stepUp(least))
			return
		}
		c.about(n, "quantity", RuleStep, VerdictPass, "The quantity %s is rounded down to %s (step %s).", typed, o.Quantity, step)
	}
}

func (c *check) tick(n int, price, tick affiliate.Number) {
	switch {
	case !above0(tick):
		c.about(n, "price", RuleTick, VerdictUnknown, "The exchange gives no tick size of %s.", c.pairName())
	case !price.Decimal().Mod(tick.Decimal()).IsZero():
		below := price.Decimal().Sub(price.Decimal().Mod(tick.Decimal()))
		c.about(n, "price", RuleTick, VerdictFail, "The price %s is not a multiple of the tick %s: the nearest are %s and %s.",
			price, tick, below, below.Add(tick.Decimal()))
		c.nearest("price", number(below), number(below.Add(tick.Decimal())))
	default:
		c.about(n, "price", RuleTick, VerdictPass, "The price %s is a multiple of the tick %s.", price, tick)
	}
}

// bound fails a quantity beyond its bound, on the side that beyond names: -1 or 1.
func (c *check) bound(n int, rule Rule, kind string, quantity, bound affiliate.Number, beyond int) {
	switch {
	case !bound.Known():
		c.about(n, "quantity", rule, VerdictUnknown, "The exchange does not say what the %s of %s is.", rule, c.pairName())
	case quantity.Cmp(bound) == beyond:
		c.about(n, "quantity", rule, VerdictFail, "The quantity %s has to be %s %s.", quantity, kind, bound)
		if beyond < 0 {
			c.nearest("quantity", c.stepUp(bound.Decimal()))
		} else {
			c.nearest("quantity", c.stepDown(bound.Decimal()))
		}
	default:
		c.about(n, "quantity", rule, VerdictPass, "The quantity %s is %s %s.", quantity, kind, bound)
	}
}

// ratio fails a limit price that is further from the last price than the pair allows, on
// the side that is costly for the trader: a buy above it, a sell below. The sentence is the
// same for every result: the position of the price, and the one bound that was checked.
func (c *check) ratio(n int, o Order, p weex.TradingPair) {
	buys := o.Side == string(weex.Buy)
	ratio := p.SellLimitPriceRatio
	if buys {
		ratio = p.BuyLimitPriceRatio
	}
	if !ratio.Known() || !c.Last.Known() {
		c.about(n, "price", RuleRatio, VerdictUnknown, "The distance of the price %s from the market is unknown.", o.Price)
		return
	}
	last, price := c.Last.Decimal(), o.Price.Decimal()
	margin := last.Mul(ratio.Decimal())
	bound, side, beyond := last.Sub(margin), "below", -1
	if buys {
		bound, side, beyond = last.Add(margin), "above", 1
	}
	verdict := VerdictPass
	if price.Cmp(bound) == beyond {
		verdict = VerdictFail
	}
	c.about(n, "price", RuleRatio, verdict, "The price %s is %s the last price %s. A %s may be at most %s %% %s it, which is %s.",
		o.Price, distance(price, last, ratio.Decimal()), c.Last, o.Side, ratio.Decimal().Shift(2), side, bound)
	if verdict == VerdictFail && above0(c.rules.TickSize) {
		inside := floorTo(bound, c.rules.TickSize.Decimal())
		if !buys && !inside.Equal(bound) {
			inside = inside.Add(c.rules.TickSize.Decimal())
		}
		c.nearest("price", number(inside))
	}
}

// distance returns how far a price is from the last one, in percent: "13.9 % below", or
// "exactly at". It has one decimal, and more if the rounded figure would appear to be on
// the other side of the limit.
func distance(price, last, limit decimal.Decimal) string {
	side := "above"
	switch price.Cmp(last) {
	case 0:
		return "exactly at"
	case -1:
		side = "below"
	}
	away := price.Sub(last).Abs()
	beyond := away.Cmp(last.Mul(limit))
	for digits := int32(1); ; digits++ {
		percent := away.Shift(2).DivRound(last, digits)
		if digits == mostDistanceDigits || !percent.IsZero() && percent.Cmp(limit.Shift(2)) == beyond {
			return percent.String() + " % " + side
		}
	}
}

const mostDistanceDigits = 18

// floorTo returns the largest multiple of a positive step that is not above a value.
func floorTo(value, step decimal.Decimal) decimal.Decimal {
	count, _ := value.QuoRem(step, 0)
	return count.Mul(step)
}

// stepDown returns the largest multiple of the pair's step that is not above a quantity.
func (c *check) stepDown(quantity decimal.Decimal) affiliate.Number {
	if !above0(c.rules.StepSize) {
		return ""
	}
	return number(floorTo(quantity, c.rules.StepSize.Decimal()))
}

// stepUp returns the smallest multiple of the pair's step that is not below a quantity.
func (c *check) stepUp(quantity decimal.Decimal) affiliate.Number {
	if !above0(c.rules.StepSize) {
		return ""
	}
	step := c.rules.StepSize.Decimal()
	down := floorTo(quantity, step)
	if down.LessThan(quantity) {
		down = down.Add(step)
	}
	return number(down)
}

func above0(n affiliate.Number) bool { return n.Known() && n.Cmp("0") > 0 }

func number(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()) }
