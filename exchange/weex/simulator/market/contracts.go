package market

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// ContractPair is a contract pair under a seed. Its three prices stay close to the
// spot price, which is the index.
type ContractPair struct {
	Symbol            string
	Last, Mark, Index line
	volume            int64 // approximate base coins traded in a day
	key               uint64
}

// listedContracts are the pairs on which the programme earns commissions.
var listedContracts = []struct {
	symbol    string
	base      affiliate.Coin
	quote     affiliate.Coin
	digits    int32
	dayVolume int64
}{
	{"cmt_btcusdt", "BTC", "USDT", 1, 30_000},
	{"cmt_ethusdt", "ETH", "USDT", 2, 400_000},
	{"cmt_solusdt", "SOL", "USDT", 3, 3_000_000},
	{"cmt_xrpusdt", "XRP", "USDT", 4, 150_000_000},
	{"cmt_dogeusdt", "DOGE", "USDT", 5, 900_000_000},
	{"cmt_bchusdt", "BCH", "USDT", 2, 200_000},
	{"cmt_linkusdt", "LINK", "USDT", 3, 4_000_000},
	{"cmt_btcusdc", "BTC", "USDC", 1, 4_000},
}

// ContractPairs returns the contract pairs of a seed.
func ContractPairs(seed int64) []*ContractPair {
	all := make([]*ContractPair, len(listedContracts))
	for i, p := range listedContracts {
		price := line{of: CoinNamed(p.base).walk(seed), in: CoinNamed(p.quote).walk(seed), Decimals: p.digits, points: new(kept[int64])}
		apart := func(name string, distance float64) line {
			l := price
			l.basis, l.distance, l.points = seeded.Subseed(seed, p.symbol+name), distance, new(kept[int64])
			return l
		}
		all[i] = &ContractPair{
			Symbol: p.symbol, Index: price, Mark: apart(" mark", 0.0003), Last: apart(" last", 0.0008),
			volume: p.dayVolume, key: seeded.Subseed(seed, p.symbol),
		}
	}
	return all
}

// Volumes returns the base and quote coins traded in the 24 hours until now. They drift
// from hour to hour and follow the price in the middle of the day.
func (c *ContractPair) Volumes(now int64, d span) (base, quote decimal.Decimal) {
	lively := 1 + 0.4*noise(c.key, 0, now/minute, 1440)
	base = decimal.New(int64(float64(c.volume)*lively*1000), -3)
	return base, base.Mul(c.Last.Decimal(d.High + d.Low)).Div(decimal.NewFromInt(2)).Round(4)
}
