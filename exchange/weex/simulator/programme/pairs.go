package programme

import (
	"math"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// pair is a trading pair and the coin in which its fees are taken. One pair can appear
// twice, with different coins.
type pair struct {
	symbol  string
	coin    affiliate.Coin
	product affiliate.Product
	weight  float64 // popularity within its product
	price   float64 // of one fee coin, in the coin of the volume; 0: the same coin
	scale   float64 // typical volume relative to one in dollars
	digits  int     // decimals of a volume
	free    bool    // no fee
}

// pairs is the market. Futures settle in the quote coin; on the spot market some fees are
// taken in the coin bought.
var pairs = []pair{
	{symbol: "cmt_btcusdt", coin: "USDT", product: affiliate.Futures, weight: 40, scale: 3, digits: 4},
	{symbol: "cmt_ethusdt", coin: "USDT", product: affiliate.Futures, weight: 25, scale: 2, digits: 3},
	{symbol: "cmt_solusdt", coin: "USDT", product: affiliate.Futures, weight: 12, scale: 1, digits: 3},
	{symbol: "cmt_xrpusdt", coin: "USDT", product: affiliate.Futures, weight: 8, scale: 1, digits: 3},
	{symbol: "cmt_dogeusdt", coin: "USDT", product: affiliate.Futures, weight: 6, scale: 0.7, digits: 4},
	{symbol: "cmt_bchusdt", coin: "USDT", product: affiliate.Futures, weight: 3, scale: 0.8, digits: 2},
	{symbol: "cmt_linkusdt", coin: "USDT", product: affiliate.Futures, weight: 3, scale: 0.6, digits: 3},
	{symbol: "cmt_btcusdc", coin: "USDC", product: affiliate.Futures, weight: 3, scale: 2, digits: 4},
	{symbol: "BTCUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 25, scale: 1, digits: 4},
	{symbol: "ETHUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 18, scale: 0.8, digits: 4},
	{symbol: "SOLUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 12, scale: 0.5, digits: 3},
	{symbol: "XRPUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 10, scale: 0.5, digits: 4},
	{symbol: "DOGEUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 8, scale: 0.3, digits: 5},
	{symbol: "LTCUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 5, scale: 0.4, digits: 3},
	{symbol: "BTCUSDC_SPBL", coin: "USDC", product: affiliate.Spot, weight: 5, scale: 1, digits: 4},
	{symbol: "BTCUSDT_SPBL", coin: "BTC", product: affiliate.Spot, weight: 7, price: 72_000, scale: 1, digits: 4},
	{symbol: "ETHUSDT_SPBL", coin: "ETH", product: affiliate.Spot, weight: 5, price: 3_100, scale: 0.8, digits: 4},
	{symbol: "ETHBTC_SPBL", coin: "BTC", product: affiliate.Spot, weight: 3, scale: 1.0 / 72_000, digits: 7},
	{symbol: "USDCUSDT_SPBL", coin: "USDT", product: affiliate.Spot, weight: 4, scale: 4, digits: 2, free: true},
}

// pairsOf holds for each product the indexes into pairs and their cumulative popularity.
var pairsOf = choose(func(pair) bool { return true })

// clientPairsOf are the pairs that clients of sub-affiliates trade. Their fees are taken in
// USDT, because endpoint 4.19 adds them up without naming a coin.
var clientPairsOf = choose(func(p pair) bool { return p.coin == "USDT" })

func choose(traded func(pair) bool) map[affiliate.Product]pairChoice {
	choices := map[affiliate.Product]pairChoice{}
	for _, product := range affiliate.Products() {
		var c pairChoice
		var weights []float64
		for i, p := range pairs {
			if p.product == product && traded(p) {
				c.index, weights = append(c.index, uint8(i)), append(weights, p.weight)
			}
		}
		c.sums = seeded.Cumulative(weights)
		choices[product] = c
	}
	return choices
}

type pairChoice struct {
	index []uint8
	sums  []float64
}

// priceAt returns the price on a day, in whole units: it varies over the months. It is
// whole because a fee is divided by it in integers.
func (p pair) priceAt(day affiliate.Day) int64 {
	if p.price == 0 {
		return 1
	}
	return int64(p.price * (1 + 0.25*math.Sin(float64(day)/37)))
}
