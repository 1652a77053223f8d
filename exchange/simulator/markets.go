package simulator

import (
	"math"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/seeded"
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
			listedPair: p, symbol: symbol, key: seeded.Key(seed, symbol), number: int64(i),
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

// feeRates are the fees of a product in units of 10^-5: 60 is 0.06 %.
func feeRates(product affiliate.Product) (taker, maker int64) {
	if product == affiliate.Futures {
		return 60, 20
	}
	return 100, 80
}

// depth is how much there is to be had at one price: a fifth to two fifths of
// the largest market order, another amount each minute.
func (m *market) depth(at int64) decimal.Decimal {
	percent := 20 + seeded.Mix(m.key, 7, uint64(at/minute))%20
	return m.limit.Mul(decimal.New(int64(percent), -2)).Truncate(m.step)
}
