package trading

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// check is a flight check in progress.
type check struct {
	*Desk
	Flight
	account Venue
	// again means that the draft comes from an intent. Nothing of it is changed.
	again bool
	rules weex.TradingPair // of the spot pair, once they are known
}

// Check checks a draft against every rule, with rules and prices read just now. If the
// draft itself is invalid, no request is sent to the exchange.
func (d *Desk) Check(ctx context.Context, draft Draft) Flight {
	c := d.check(ctx, draft, false)
	if c.Clear() {
		c.exposure(ctx)
	}
	return c.Flight
}

// check checks everything except the rules about earlier orders.
func (d *Desk) check(ctx context.Context, draft Draft, again bool) *check {
	ctx, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	now := d.o.Now()
	c := &check{Desk: d, Flight: Flight{Draft: draft, At: affiliate.MillisOf(now), made: now}, again: again}
	c.Draft.Orders = slices.Clone(draft.Orders)
	c.desk()
	c.form()
	if !c.Clear() {
		return c
	}
	switch draft.Kind {
	case Place, PlaceBatch:
		c.spot(ctx)
	case Trigger:
		c.contract(ctx)
	case CancelAll:
		c.openOrders(ctx)
	}
	c.clock(ctx)
	return c
}

// say adds a line.
func (c *check) say(rule Rule, verdict Verdict, format string, args ...any) {
	c.Lines = append(c.Lines, FlightLine{Rule: rule, Order: -1, Verdict: verdict, Words: fmt.Sprintf(format, args...)})
}

// about adds a line about one order and one field of it.
func (c *check) about(n int, field string, rule Rule, verdict Verdict, format string, args ...any) {
	c.Lines = append(c.Lines, FlightLine{Rule: rule, Order: n, Field: field, Verdict: verdict, Words: fmt.Sprintf(format, args...)})
}

// desk checks the rules that hold for every draft.
func (c *check) desk() {
	switch c.o.Mode {
	case Live:
		c.say(RuleMode, VerdictPass, "Trading is on.")
	case Dry:
		c.say(RuleMode, VerdictPass, "Trading is a dry run: everything is done but sending.")
	default:
		c.say(RuleMode, VerdictFail, "Trading is off: set TRADING to dry-run or live.")
		return
	}
	account, known := c.o.Accounts(c.Draft.Account)
	if !known || account.Reader == nil {
		c.about(-1, "account", RuleAccount, VerdictFail, "There is no account called “%.60s”.", c.Draft.Account)
		return
	}
	c.account = account
	if c.o.Mode == Live {
		if account.Sender == nil {
			c.say(RuleKey, VerdictFail, "The account %s has no trading key.", c.Draft.Account)
		} else {
			c.say(RuleKey, VerdictPass, "The account %s has a trading key.", c.Draft.Account)
		}
	}
	if why := c.killFile(); why != "" {
		c.say(RuleKill, VerdictFail, "%s", why)
	}
	if c.Draft.places() {
		c.allowed()
	}
}

// nearest adds values to the last line with which its rule would hold.
func (c *check) nearest(field string, values ...affiliate.Number) {
	line := &c.Lines[len(c.Lines)-1]
	for _, v := range values {
		if above0(v) {
			line.Nearest = append(line.Nearest, NearestValue{field, v})
		}
	}
}

func (c *check) allowed() {
	switch {
	case len(c.o.Pairs) == 0:
		c.say(RuleAllowed, VerdictPass, "Every pair may be traded.")
	case slices.Contains(c.o.Pairs, c.Draft.Pair):
		c.say(RuleAllowed, VerdictPass, "%s may be traded.", c.pairName())
	default:
		c.about(-1, "symbol", RuleAllowed, VerdictFail, "%s is not among the pairs that may be traded (ALLOW_PAIRS).", exactPair(c.Draft.Pair))
	}
}

// killFile returns a message if the kill file exists, and an empty string otherwise.
func (d *Desk) killFile() string {
	if d.o.KillFile == "" {
		return ""
	}
	_, err := os.Lstat(d.o.KillFile)
	switch {
	case err == nil:
		return "Trading is stopped: the kill file is there."
	case errors.Is(err, fs.ErrNotExist):
		return ""
	}
	return "Trading is stopped: it cannot be told whether the kill file is there."
}

// clock makes the sending client learn the exchange's clock, so that the first order is not
// refused because of its timestamp.
func (c *check) clock(ctx context.Context) {
	if c.o.Mode != Live {
		return
	}
	if _, err := c.account.Sender.Now(ctx); err != nil {
		c.say(RuleClock, VerdictUnknown, "The exchange's clock could not be read: %v.", err)
		return
	}
	c.say(RuleClock, VerdictPass, "The exchange's clock is known.")
}

// openOrders reads the open orders of the pair, which are the ones to cancel.
func (c *check) openOrders(ctx context.Context) {
	if c.again {
		return
	}
	c.Draft.Orders = nil
	for o, err := range c.account.Reader.AllOpenOrders(ctx, weex.OpenOrderQuery{Symbol: c.Draft.Pair}) {
		if err != nil {
			c.say(RuleCount, VerdictUnknown, "The open orders of %s could not be read: %v.", c.pairName(), err)
			return
		}
		c.Draft.Orders = append(c.Draft.Orders, Order{OrderID: o.OrderID})
	}
	if len(c.Draft.Orders) == 0 {
		c.say(RuleCount, VerdictFail, "No order of %s is open.", c.pairName())
		return
	}
	c.say(RuleCount, VerdictPass, "%d open orders of %s are cancelled.", len(c.Draft.Orders), c.pairName())
}

// places reports whether the draft places orders instead of cancelling some.
func (d Draft) places() bool { return d.Kind == Place || d.Kind == PlaceBatch || d.Kind == Trigger }
