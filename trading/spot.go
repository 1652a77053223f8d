package trading

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// maxTickerAge is the maximum age of a price against which an order is checked.
const maxTickerAge = 10 * time.Second

// spot checks the orders of a spot pair against its rules and its price, both read now:
// tick sizes change overnight.
func (c *check) spot(ctx context.Context) {
	var pairs exchange.Page[weex.TradingPair]
	var tickers exchange.Page[weex.Ticker]
	var pairsFailed, tickersFailed error
	var reading sync.WaitGroup
	reading.Go(func() {
		pairs, pairsFailed = c.account.Reader.Pairs(ctx, weex.PairQuery{Symbol: c.Draft.Pair})
	})
	reading.Go(func() { tickers, tickersFailed = c.account.Reader.Tickers(ctx) })
	reading.Wait()

	at := slices.IndexFunc(pairs.Records, func(p weex.TradingPair) bool { return p.Symbol == c.Draft.Pair })
	for _, wrong := range pairs.Quarantined {
		if wrong.Record.Symbol == c.Draft.Pair && at < 0 {
			pairsFailed = &exchange.RecordError[weex.TradingPair]{Quarantined: wrong}
		}
	}
	switch {
	case exchange.ClassOf(pairsFailed) == exchange.ClassValidation, pairsFailed == nil && at < 0:
		c.about(-1, "symbol", RulePair, VerdictFail, "The exchange does not list %s.", exactPair(c.Draft.Pair))
		return
	case pairsFailed != nil:
		c.say(RulePair, VerdictUnknown, "The rules of %s could not be read: %v.", c.pairName(), pairsFailed)
		return
	}
	p := pairs.Records[at]
	c.rules = p
	c.say(RulePair, VerdictPass, "%s is listed: %s for %s.", c.pairName(), p.BaseCoin, p.QuoteCoin)
	c.enabled(p)
	at = slices.IndexFunc(tickers.Records, func(t weex.Ticker) bool { return t.Symbol == c.Draft.Pair })
	var last affiliate.Number
	var when affiliate.Millis
	if at >= 0 {
		last, when = tickers.Records[at].LastPrice, tickers.Records[at].Time
	}
	for _, wrong := range tickers.Quarantined {
		if wrong.Record.Symbol == c.Draft.Pair && at < 0 {
			tickersFailed = &exchange.RecordError[weex.Ticker]{Quarantined: wrong}
		}
	}
	c.price(ctx, last, when, tickersFailed)
	for n := range c.Draft.Orders {
		c.spotRules(n, &c.Draft.Orders[n], p)
	}
}

func (c *check) enabled(p weex.TradingPair) {
	switch p.EnableTrade {
	case affiliate.FlagOf(true):
		c.say(RuleEnabled, VerdictPass, "%s can be traded now.", c.pairName())
	case affiliate.FlagOf(false):
		c.say(RuleEnabled, VerdictFail, "The exchange has %s closed to trading.", c.pairName())
	default:
		c.say(RuleEnabled, VerdictUnknown, "The exchange does not say whether %s can be traded.", c.pairName())
	}
}

// price accepts the last price unless it is too old.
func (c *check) price(ctx context.Context, last affiliate.Number, when affiliate.Millis, failed error) {
	now, err := c.account.Reader.Now(ctx)
	switch {
	case failed != nil:
		c.say(RuleTicker, VerdictUnknown, "The price of %s could not be read: %v.", c.pairName(), failed)
		return
	case err != nil:
		c.say(RuleTicker, VerdictUnknown, "The exchange's clock could not be read: %v.", err)
		return
	case !last.Known() || last.Cmp("0") <= 0 || !when.Known():
		c.say(RuleTicker, VerdictUnknown, "The exchange gives no price of %s.", c.pairName())
		return
	}
	c.Last, c.Ticker, c.At = last, when, affiliate.MillisOf(now)
	age := now.Sub(when.Time()).Round(100 * time.Millisecond)
	if age.Abs() > maxTickerAge {
		c.say(RuleTicker, VerdictFail, "The last price of %s, %s, is %s; at most %v is fresh enough.", c.pairName(), last, ageWords(age), maxTickerAge)
		return
	}
	c.say(RuleTicker, VerdictPass, "The last price of %s, %s, is %s; at most %v is fresh enough.", c.pairName(), last, ageWords(age), maxTickerAge)
}

// ageWords describes the age of a price. The clocks of the exchange may differ among
// themselves, so a price can be from the future.
func ageWords(age time.Duration) string {
	if age < 0 {
		return fmt.Sprintf("%v ahead of the exchange's clock", -age)
	}
	return fmt.Sprintf("%v old", age)
}

// spotRules checks one order against the rules of its pair.
func (c *check) spotRules(n int, o *Order, p weex.TradingPair) {
	c.step(n, o, p.StepSize)
	c.bound(n, RuleMin, "at least", o.Quantity, p.MinTradeAmount, -1)
	c.bound(n, RuleMax, "at most", o.Quantity, p.MaxTradeAmount, 1)
	if o.Type == string(weex.Market) {
		most := p.MarketSellLimitSize
		if o.Side == string(weex.Buy) {
			most = p.MarketBuyLimitSize
		}
		c.bound(n, RuleMarket, "at most", o.Quantity, most, 1)
	} else {
		c.tick(n, o.Price, p.TickSize)
		c.ratio(n, *o, p)
	}
	o.Coin = affiliate.Coin(p.QuoteCoin)
	o.Worth = c.spotWorth(*o, p)
	c.orderCap(n, *o)
}
