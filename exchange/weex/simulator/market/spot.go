package market

import (
	"math"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// listedPair is a spot pair as listed by the exchange. Sizes are in base coins.
type listedPair struct {
	Base, Quote    affiliate.Coin
	PriceDecimals  int32 // decimals of a price
	SizeDecimals   int32 // decimals of a quantity
	least, most    string
	marketMost     string
	free, Disabled bool
	Fresh, Hot     bool
	bustle         uint64 // approximate public trades in a minute
}

// listedPairs are the spot markets.
var listedPairs = []listedPair{
	{Base: "BTC", Quote: "USDT", PriceDecimals: 2, SizeDecimals: 6, least: "0.0001", most: "100", marketMost: "20", Hot: true, bustle: 8},
	{Base: "ETH", Quote: "USDT", PriceDecimals: 2, SizeDecimals: 5, least: "0.001", most: "2000", marketMost: "300", Hot: true, bustle: 6},
	{Base: "SOL", Quote: "USDT", PriceDecimals: 2, SizeDecimals: 4, least: "0.01", most: "30000", marketMost: "5000", Hot: true, bustle: 5},
	{Base: "XRP", Quote: "USDT", PriceDecimals: 4, SizeDecimals: 2, least: "2", most: "3000000", marketMost: "500000", bustle: 4},
	{Base: "DOGE", Quote: "USDT", PriceDecimals: 5, SizeDecimals: 0, least: "20", most: "20000000", marketMost: "3000000", bustle: 4},
	{Base: "LTC", Quote: "USDT", PriceDecimals: 2, SizeDecimals: 4, least: "0.05", most: "50000", marketMost: "5000", bustle: 2},
	{Base: "BCH", Quote: "USDT", PriceDecimals: 2, SizeDecimals: 4, least: "0.01", most: "10000", marketMost: "1500", bustle: 2},
	{Base: "LINK", Quote: "USDT", PriceDecimals: 3, SizeDecimals: 3, least: "0.3", most: "200000", marketMost: "30000", bustle: 2},
	{Base: "ADA", Quote: "USDT", PriceDecimals: 4, SizeDecimals: 1, least: "5", most: "5000000", marketMost: "1000000", bustle: 2},
	{Base: "TRX", Quote: "USDT", PriceDecimals: 5, SizeDecimals: 1, least: "20", most: "10000000", marketMost: "2000000", bustle: 2},
	{Base: "AVAX", Quote: "USDT", PriceDecimals: 3, SizeDecimals: 3, least: "0.2", most: "100000", marketMost: "20000", Fresh: true, bustle: 2},
	{Base: "BTC", Quote: "USDC", PriceDecimals: 2, SizeDecimals: 6, least: "0.0001", most: "50", marketMost: "5", bustle: 2},
	{Base: "ETH", Quote: "USDC", PriceDecimals: 2, SizeDecimals: 5, least: "0.001", most: "1000", marketMost: "100", bustle: 2},
	{Base: "ETH", Quote: "BTC", PriceDecimals: 6, SizeDecimals: 4, least: "0.001", most: "1000", marketMost: "100", bustle: 1},
	{Base: "USDC", Quote: "USDT", PriceDecimals: 4, SizeDecimals: 2, least: "5", most: "5000000", marketMost: "1000000", free: true, bustle: 3},
	{Base: "LUNC", Quote: "USDT", PriceDecimals: 8, SizeDecimals: 0, least: "50000", most: "1000000000", marketMost: "100000000", Disabled: true},
}

// The largest distances from the market, as fractions. One is for a limit price to the
// disadvantage of its user, the other for a market order from its first price.
const (
	LimitRatio    = "0.1"
	FallbackRatio = "0.05"
)

// SpotPair is a spot pair under a seed.
type SpotPair struct {
	*listedPair
	line
	Symbol                  string
	Key                     uint64        // for its trades and its depth
	traded                  *kept[traded] // by whole minutes
	number                  int64         // position in the list, from 0
	perDollar               float64       // approximate steps of a quantity worth a dollar
	Least, Most, MarketMost decimal.Decimal
	TakerRate, MakerRate    decimal.Decimal
}

// SpotPairs returns the spot markets of a seed.
func SpotPairs(seed int64) []*SpotPair {
	all := make([]*SpotPair, len(listedPairs))
	for i := range listedPairs {
		p := &listedPairs[i]
		symbol := string(p.Base+p.Quote) + "_SPBL"
		m := &SpotPair{
			listedPair: p, Symbol: symbol, Key: seeded.Subseed(seed, symbol), number: int64(i),
			line: line{of: CoinNamed(p.Base).walk(seed), in: CoinNamed(p.Quote).walk(seed), Decimals: p.PriceDecimals, points: new(kept[int64])}, traded: new(kept[traded]),
			Least: decimal.RequireFromString(p.least), Most: decimal.RequireFromString(p.most),
			MarketMost: decimal.RequireFromString(p.marketMost),
		}
		m.perDollar = math.Pow10(int(p.SizeDecimals)) / m.of.price
		if !p.free {
			taker, maker := FeeRates(affiliate.Spot)
			m.TakerRate, m.MakerRate = decimal.New(taker, -5), decimal.New(maker, -5)
		}
		all[i] = m
	}
	return all
}

// Merges returns the depths of the displayed book; a disabled pair has none.
func (m *SpotPair) Merges() string {
	if m.Disabled {
		return ""
	}
	var all []string
	for n := range int32(4) {
		all = append(all, decimal.New(1, n-m.PriceDecimals).String())
	}
	return strings.Join(all, ",")
}

// FeeRates returns the fees of a product in units of 10^-5: 60 is 0.06 %.
func FeeRates(product affiliate.Product) (taker, maker int64) {
	if product == affiliate.Futures {
		return 60, 20
	}
	return 100, 80
}

// Depth returns the quantity offered at one price: a fifth to two fifths of the largest
// market order. The amount changes each minute.
func (m *SpotPair) Depth(at int64) decimal.Decimal {
	percent := 20 + seeded.Mix(m.Key, 7, uint64(at/minute))%20
	return m.MarketMost.Mul(decimal.New(int64(percent), -2)).Truncate(m.SizeDecimals)
}
