package simulator

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/weex/simulator/market"
)

// currencies answers 4.2. Every value in its answer is text, including booleans.
func (s *Simulator) currencies(e *encoder, _ *parameters) *refusal {
	e.list(len(market.ListedCoins), func(i int) {
		c := &market.ListedCoins[i]
		e.raw("{")
		e.digits("coinId", strconv.Itoa(c.ID), !e.otherTypes)
		e.text("coinName", string(c.Name))
		e.digits("transfer", strconv.FormatBool(c.Transfer), !e.otherTypes)
		e.name("chains")
		e.list(len(c.Chains), func(i int) { e.chain(&c.Chains[i]) })
		e.raw("}")
	})
	return nil
}

func (e *encoder) chain(c *market.DepositChain) {
	e.raw("{")
	if c.Name == "" {
		e.null("chain")
	} else {
		e.text("chain", c.Name)
	}
	e.digits("needTag", strconv.FormatBool(c.Tag), !e.otherTypes)
	e.digits("withdrawAble", strconv.FormatBool(c.Withdraw), !e.otherTypes)
	e.digits("rechargeAble", strconv.FormatBool(c.Recharge), !e.otherTypes)
	e.digits("withdrawFee", c.Fee, !e.otherTypes)
	e.digits("depositConfirm", strconv.Itoa(c.DepositConfirm), !e.otherTypes)
	e.digits("withdrawConfirm", strconv.Itoa(c.SendConfirm), !e.otherTypes)
	e.digits("minDepositAmount", c.MinDeposit, !e.otherTypes)
	e.digits("minWithdrawAmount", c.MinPayout, !e.otherTypes)
	e.optional("browserUrl", c.Browser)
	e.optional("contractAddress", c.Contract)
	e.raw("}")
}

// marketOf finds a pair by its name. It returns nil if the pair does not exist.
func (s *Simulator) marketOf(symbol string) *market.SpotPair {
	for _, m := range s.markets {
		if m.Symbol == symbol {
			return m
		}
	}
	return nil
}

// market reads the parameter symbol, which is required.
func (s *Simulator) market(p *parameters) *market.SpotPair {
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

func (e *encoder) pair(m *market.SpotPair) {
	flag := func(name string, value bool) { e.digits(name, strconv.FormatBool(value), e.otherTypes) }
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", m.Symbol)
	e.text("baseCoin", string(m.Base))
	e.text("quoteCoin", string(m.Quote))
	number("tickSize", decimal.New(1, -m.PriceDecimals).String())
	number("stepSize", decimal.New(1, -m.SizeDecimals).String())
	number("minTradeAmount", m.Least.String())
	number("maxTradeAmount", m.Most.String())
	number("takerFeeRate", m.TakerRate.String())
	number("makerFeeRate", m.MakerRate.String())
	number("buyLimitPriceRatio", market.LimitRatio)
	number("sellLimitPriceRatio", market.LimitRatio)
	number("marketBuyLimitSize", m.MarketMost.String())
	number("marketSellLimitSize", m.MarketMost.String())
	number("marketFallbackPriceRatio", market.FallbackRatio)
	flag("enableTrade", !m.Disabled)
	flag("enableDisplay", !m.Disabled)
	e.optional("displayDigitMerge", m.Merges())
	flag("displayNew", m.Fresh)
	flag("displayHot", m.Hot)
	flag("supportTracing", m.Hot)
	flag("supportPlanMarket", !m.Disabled)
	e.raw("}")
}

// spotTickers answers 4.3. Disabled pairs have no ticker.
func (s *Simulator) spotTickers(e *encoder, _ *parameters) *refusal {
	now := s.now()
	var listed []*market.SpotPair
	for _, m := range s.markets {
		if !m.Disabled {
			listed = append(listed, m)
		}
	}
	e.list(len(listed), func(i int) { e.spotTicker(listed[i], now) })
	return nil
}

func (e *encoder) spotTicker(m *market.SpotPair, now int64) {
	d := m.LastDay(now)
	number := func(name, value string) { e.digits(name, value, !e.otherTypes) }
	e.raw("{")
	e.text("symbol", m.Symbol)
	number("priceChange", m.Text(d.Close-d.Open))
	number("priceChangePercent", d.Change().String())
	e.long("trades", d.Trades)
	number("size", m.Quantity(d.Size).String())
	number("value", m.Value(d.Value).String())
	number("high", m.Text(d.High))
	number("low", m.Text(d.Low))
	number("open", m.Text(d.Open))
	number("close", m.Text(d.Close))
	e.long("highTime", d.HighTime)
	e.long("lowTime", d.LowTime)
	e.long("startTime", now-day)
	e.long("endTime", now)
	number("lastPrice", m.Text(d.Close))
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
	all := m.Latest(s.now(), n)
	e.list(len(all), func(i int) {
		t := all[i]
		e.raw("{")
		e.text("symbol", m.Symbol)
		e.digits("tradeId", strconv.FormatInt(t.ID, 10), !e.otherTypes)
		e.long("fillTime", t.At)
		e.digits("fillPrice", m.Text(t.Price), !e.otherTypes)
		e.digits("fillQuantity", m.Quantity(t.Steps).String(), !e.otherTypes)
		e.digits("tradeValue", m.Value(t.Price*t.Steps).String(), !e.otherTypes)
		e.digits("bestMatch", strconv.FormatBool(t.Bits>>40&1 == 0), e.otherTypes)
		e.digits("buyerMaker", strconv.FormatBool(t.Bits>>41&1 == 0), e.otherTypes)
		e.raw("}")
	})
	return nil
}
