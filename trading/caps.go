package trading

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// Caps limit the worth of orders, in the quote currency of each pair. The caps of a day are
// counted by quote coin, over all accounts and per UTC day. An unknown cap is no limit.
type Caps struct {
	Order, Day affiliate.Number
}

// spotWorth returns the most that an order can turn over, in quote coin, or unknown if that
// cannot be determined. A market order is valued at the last price plus the ratio by which
// its execution may deviate from it (section 2, marketFallbackPriceRatio). The limit of a
// sell order is a floor: the order is valued at the last price if that is higher.
func (c *check) spotWorth(o Order, p weex.TradingPair) affiliate.Number {
	if !c.Last.Known() {
		return ""
	}
	price := c.Last.Decimal()
	switch {
	case o.Type == string(weex.Market):
		if !p.MarketFallbackPriceRatio.Known() {
			return ""
		}
		price = price.Add(price.Mul(p.MarketFallbackPriceRatio.Decimal()))
	case o.Side == string(weex.Buy):
		price = o.Price.Decimal()
	default:
		price = decimal.Max(price, o.Price.Decimal())
	}
	return worth(price, o.Quantity)
}

// worthDigits is the number of decimals of a worth. It is rounded up, so that rounding
// never lets an order exceed a cap.
const worthDigits = 18

func worth(price decimal.Decimal, quantity affiliate.Number) affiliate.Number {
	return number(price.Mul(quantity.Decimal()).RoundUp(worthDigits))
}

// orderCap checks one order against the cap per order.
func (c *check) orderCap(n int, o Order) {
	switch {
	case !c.o.Caps.Order.Known():
		c.about(n, "", RuleOrderCap, VerdictPass, "There is no cap of an order.")
	case !o.Worth.Known() || o.Coin == "":
		c.about(n, "", RuleOrderCap, VerdictUnknown, "The order's value is unknown, so the cap of %s cannot be checked.", c.o.Caps.Order)
	case o.Worth.Decimal().GreaterThan(c.o.Caps.Order.Decimal()):
		c.about(n, "", RuleOrderCap, VerdictFail, "The order is worth up to %s %s; the cap of an order is %s.", o.Worth, o.Coin, c.o.Caps.Order)
		c.within(o, c.o.Caps.Order.Decimal())
	default:
		c.about(n, "", RuleOrderCap, VerdictPass, "The order is worth up to %s %s; the cap of an order is %s.", o.Worth, o.Coin, c.o.Caps.Order)
	}
}

// within adds the largest quantity of an order to the last line that is worth at most some
// value. The rounding of a worth makes it smaller, never larger.
func (c *check) within(o Order, value decimal.Decimal) {
	if !above0(o.Worth) || !above0(c.rules.StepSize) {
		return
	}
	quantity, _ := value.Mul(o.Quantity.Decimal()).QuoRem(o.Worth.Decimal(), worthDigits)
	q := c.stepDown(quantity)
	if c.rules.MinTradeAmount.Known() && q.Cmp(c.rules.MinTradeAmount) < 0 {
		return
	}
	c.nearest("quantity", q)
}

// contract checks a trigger order against the price of its pair. The document gives no
// rules of contract pairs.
func (c *check) contract(ctx context.Context) {
	t, err := c.account.Reader.ContractTicker(ctx, c.Draft.Pair)
	switch {
	case exchange.ClassOf(err) == exchange.ClassValidation:
		c.about(-1, "symbol", RulePair, VerdictFail, "The exchange does not list %s.", exactPair(c.Draft.Pair))
		return
	case err == nil && t.Symbol != c.Draft.Pair:
		c.say(RulePair, VerdictUnknown, "The exchange answers for %.60q when asked for %s.", t.Symbol, exactPair(c.Draft.Pair))
		return
	case err == nil:
		c.say(RulePair, VerdictPass, "%s is listed.", c.pairName())
	}
	c.price(ctx, t.Last, t.Time, err)
	o := &c.Draft.Orders[0]
	if c.Last.Known() {
		c.triggerWorth(o, c.contractCoin(ctx))
	}
	c.orderCap(0, *o)
}

// triggerWorth values a trigger order at the highest of its prices and the last one.
func (c *check) triggerWorth(o *Order, coin affiliate.Coin) {
	price := decimal.Max(c.Last.Decimal(), o.Price.Decimal(), o.TriggerPrice.Decimal())
	o.Worth, o.Coin = worth(price, o.Quantity), coin
}

// contractCoin returns the quote coin of a contract pair, or an empty coin if it cannot be
// determined. No answer names it, so it is the longest of the exchange's quote coins with
// which the pair ends.
func (c *check) contractCoin(ctx context.Context) affiliate.Coin {
	pairs, err := c.account.Reader.Pairs(ctx, weex.PairQuery{})
	if err != nil {
		return "" // the caps report it, if any are set
	}
	return ContractCoin(c.Draft.Pair, pairs.Records)
}

// ContractCoin returns the longest of the quote coins of some spot pairs with which a contract
// pair ends, or an empty coin.
func ContractCoin(contract string, pairs []weex.TradingPair) affiliate.Coin {
	var coins []string
	for _, p := range pairs {
		if p.QuoteCoin != "" && strings.HasSuffix(contract, strings.ToLower(p.QuoteCoin)) {
			coins = append(coins, p.QuoteCoin)
		}
	}
	if len(coins) == 0 {
		return ""
	}
	return affiliate.Coin(slices.MaxFunc(coins, func(a, b string) int { return len(a) - len(b) }))
}
