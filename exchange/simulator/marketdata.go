package simulator

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// currencies answers 4.2. Every value is a text there, booleans too.
func (s *Simulator) currencies(e *encoder, _ *parameters) *refusal {
	e.list(len(coins), func(i int) {
		c := &coins[i]
		e.raw("{")
		e.digits("coinId", strconv.Itoa(c.id), !e.otherTypes)
		e.text("coinName", string(c.name))
		e.digits("transfer", strconv.FormatBool(c.transfer), !e.otherTypes)
		e.name("chains")
		e.list(len(c.chains), func(i int) { e.chain(&c.chains[i]) })
		e.raw("}")
	})
	return nil
}

func (e *encoder) chain(c *chain) {
	e.raw("{")
	if c.name == "" {
		e.null("chain")
	} else {
		e.text("chain", c.name)
	}
	e.digits("needTag", strconv.FormatBool(c.tag), !e.otherTypes)
	e.digits("withdrawAble", strconv.FormatBool(c.withdraw), !e.otherTypes)
	e.digits("rechargeAble", strconv.FormatBool(c.recharge), !e.otherTypes)
	e.digits("withdrawFee", c.fee, !e.otherTypes)
	e.digits("depositConfirm", strconv.Itoa(c.depositConfirm), !e.otherTypes)
	e.digits("withdrawConfirm", strconv.Itoa(c.sendConfirm), !e.otherTypes)
	e.digits("minDepositAmount", c.minDeposit, !e.otherTypes)
	e.digits("minWithdrawAmount", c.minPayout, !e.otherTypes)
	e.optional("browserUrl", c.browser)
	e.optional("contractAddress", c.contract)
	e.raw("}")
}

// marketOf finds a pair by its name; nil where there is none.
func (s *Simulator) marketOf(symbol string) *market {
	for _, m := range s.markets {
		if m.symbol == symbol {
			return m
		}
	}
	return nil
}

// market reads the parameter symbol, which is required.
func (s *Simulator) market(p *parameters) *market {
	symbol := p.required("symbol")
	m := s.marketOf(symbol)
	if m == nil {
		p.fail(errInvalid("symbol"))
	}
	return m
}

// exchangeInfo answers 4.1.
func (s *Simulator) exchangeInfo(e *encoder, p *parameters) *refusal {
	wanted := s.markets
	if one, some := p.text("symbol"), p.text("symbols"); one+some != "" {
		wanted = nil
		for symbol := range strings.SplitSeq(strings.Trim(one+","+some, ","), ",") {
			m := s.marketOf(symbol)
			if m == nil {
				return errInvalid("symbol")
			}
			wanted = append(wanted, m)
		}
	}
	e.list(len(wanted), func(i int) { e.pair(wanted[i]) })
	return p.refused
}

func (e *encoder) pair(m *market) {
	flag := func(name string, value bool) { e.digits(name, strconv.FormatBool(value), e.otherTypes) }
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", m.symbol)
	e.text("baseCoin", string(m.base))
	e.text("quoteCoin", string(m.quote))
	number("tickSize", decimal.New(1, -m.digits).String())
	number("stepSize", decimal.New(1, -m.step).String())
	number("minTradeAmount", m.least.String())
	number("maxTradeAmount", m.most.String())
	number("takerFeeRate", m.takerRate.String())
	number("makerFeeRate", m.makerRate.String())
	number("buyLimitPriceRatio", limitRatio)
	number("sellLimitPriceRatio", limitRatio)
	number("marketBuyLimitSize", m.limit.String())
	number("marketSellLimitSize", m.limit.String())
	number("marketFallbackPriceRatio", fallbackRatio)
	flag("enableTrade", !m.disabled)
	flag("enableDisplay", !m.disabled)
	e.optional("displayDigitMerge", m.merges())
	flag("displayNew", m.fresh)
	flag("displayHot", m.hot)
	flag("supportTracing", m.hot)
	flag("supportPlanMarket", !m.disabled)
	e.raw("}")
}

// spotTickers answers 4.3. Disabled pairs have none.
func (s *Simulator) spotTickers(e *encoder, _ *parameters) *refusal {
	now := s.now()
	var listed []*market
	for _, m := range s.markets {
		if !m.disabled {
			listed = append(listed, m)
		}
	}
	e.list(len(listed), func(i int) { e.spotTicker(listed[i], now) })
	return nil
}

func (e *encoder) spotTicker(m *market, now int64) {
	d := m.lastDay(now)
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", m.symbol)
	number("priceChange", m.text(d.close-d.open))
	number("priceChangePercent", d.change().String())
	e.long("trades", d.trades)
	number("size", m.quantity(d.size).String())
	number("value", m.value(d.value).String())
	number("high", m.text(d.high))
	number("low", m.text(d.low))
	number("open", m.text(d.open))
	number("close", m.text(d.close))
	e.long("highTime", d.highTime)
	e.long("lowTime", d.lowTime)
	e.long("startTime", now-day)
	e.long("endTime", now)
	number("lastPrice", m.text(d.close))
	number("openInterest", "0")
	e.long("ts", now)
	e.raw("}")
}

// publicTrades answers 4.4.
func (s *Simulator) publicTrades(e *encoder, p *parameters) *refusal {
	m, n := s.market(p), p.size("limit", 100, 1000)
	if p.refused != nil {
		return p.refused
	}
	all := m.latest(s.now(), n)
	e.list(len(all), func(i int) {
		t := all[i]
		e.raw("{")
		e.text("symbol", m.symbol)
		e.digits("tradeId", strconv.FormatInt(t.id, 10), !e.otherTypes)
		e.long("fillTime", t.at)
		e.digits("fillPrice", m.text(t.price), !e.otherTypes)
		e.digits("fillQuantity", m.quantity(t.steps).String(), !e.otherTypes)
		e.digits("tradeValue", m.value(t.price*t.steps).String(), !e.otherTypes)
		e.digits("bestMatch", strconv.FormatBool(t.bits>>40&1 == 0), e.otherTypes)
		e.digits("buyerMaker", strconv.FormatBool(t.bits>>41&1 == 0), e.otherTypes)
		e.raw("}")
	})
	return nil
}
