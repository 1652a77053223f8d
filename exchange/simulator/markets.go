package simulator

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// listedPair is a spot pair as the exchange lists it. Sizes are in base coins.
type listedPair struct {
	base, quote    affiliate.Coin
	digits         int32 // decimals of a price
	step           int32 // decimals of a quantity
	least, most    string
	marketMost     string
	free, disabled bool
	fresh, hot     bool
	bustle         uint64 // public trades in a minute, about
}

// listedPairs are the spot markets.
var listedPairs = []listedPair{
	{base: "BTC", quote: "USDT", digits: 2, step: 6, least: "0.0001", most: "100", marketMost: "20", hot: true, bustle: 8},
	{base: "ETH", quote: "USDT", digits: 2, step: 5, least: "0.001", most: "2000", marketMost: "300", hot: true, bustle: 6},
	{base: "SOL", quote: "USDT", digits: 2, step: 4, least: "0.01", most: "30000", marketMost: "5000", hot: true, bustle: 5},
	{base: "XRP", quote: "USDT", digits: 4, step: 2, least: "2", most: "3000000", marketMost: "500000", bustle: 4},
	{base: "DOGE", quote: "USDT", digits: 5, step: 0, least: "20", most: "20000000", marketMost: "3000000", bustle: 4},
	{base: "LTC", quote: "USDT", digits: 2, step: 4, least: "0.05", most: "50000", marketMost: "5000", bustle: 2},
	{base: "BCH", quote: "USDT", digits: 2, step: 4, least: "0.01", most: "10000", marketMost: "1500", bustle: 2},
	{base: "LINK", quote: "USDT", digits: 3, step: 3, least: "0.3", most: "200000", marketMost: "30000", bustle: 2},
	{base: "ADA", quote: "USDT", digits: 4, step: 1, least: "5", most: "5000000", marketMost: "1000000", bustle: 2},
	{base: "TRX", quote: "USDT", digits: 5, step: 1, least: "20", most: "10000000", marketMost: "2000000", bustle: 2},
	{base: "AVAX", quote: "USDT", digits: 3, step: 3, least: "0.2", most: "100000", marketMost: "20000", fresh: true, bustle: 2},
	{base: "BTC", quote: "USDC", digits: 2, step: 6, least: "0.0001", most: "50", marketMost: "5", bustle: 2},
	{base: "ETH", quote: "USDC", digits: 2, step: 5, least: "0.001", most: "1000", marketMost: "100", bustle: 2},
	{base: "ETH", quote: "BTC", digits: 6, step: 4, least: "0.001", most: "1000", marketMost: "100", bustle: 1},
	{base: "USDC", quote: "USDT", digits: 4, step: 2, least: "5", most: "5000000", marketMost: "1000000", free: true, bustle: 3},
	{base: "LUNC", quote: "USDT", digits: 8, step: 0, least: "50000", most: "1000000000", marketMost: "100000000", disabled: true},
}

// The fractions by which a limit price may be away from the market to the
// disadvantage of who places it, and a market order from its first price.
const (
	limitRatio    = "0.1"
	fallbackRatio = "0.05"
)

// market is a spot pair under a seed.
type market struct {
	*listedPair
	line
	symbol               string
	key                  uint64  // of its trades and its depth
	number               int64   // its place in the list, from 0
	perDollar            float64 // steps of a quantity worth a dollar, about
	least, most, limit   decimal.Decimal
	takerRate, makerRate decimal.Decimal
}

// newMarkets makes the spot markets of a seed.
func newMarkets(seed int64) []*market {
	all := make([]*market, len(listedPairs))
	for i := range listedPairs {
		p := &listedPairs[i]
		symbol := string(p.base+p.quote) + "_SPBL"
		m := &market{
			listedPair: p, symbol: symbol, key: named(seed, symbol), number: int64(i),
			line:  line{of: coinNamed(p.base).walk(seed), in: coinNamed(p.quote).walk(seed), decimals: p.digits},
			least: decimal.RequireFromString(p.least), most: decimal.RequireFromString(p.most),
			limit: decimal.RequireFromString(p.marketMost),
		}
		m.perDollar = math.Pow10(int(p.step)) / m.of.price
		if !p.free {
			taker, maker := feeRates(affiliate.Spot)
			m.takerRate, m.makerRate = decimal.New(taker, -5), decimal.New(maker, -5)
		}
		all[i] = m
	}
	return all
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

// merges are the depths of the displayed book; a disabled pair has none.
func (m *market) merges() string {
	if m.disabled {
		return ""
	}
	var all []string
	for n := range int32(4) {
		all = append(all, decimal.New(1, n-m.digits).String())
	}
	return strings.Join(all, ",")
}
