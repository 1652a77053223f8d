package frame

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// Fills are summed up in one sentence, exactly, and nothing unknown counts as zero.
func TestFillWords(t *testing.T) {
	now := time.Date(2026, 11, 28, 14, 5, 0, 0, time.UTC)
	fill := func(pair, side, price, quantity, worth string, ago time.Duration) weex.Fill {
		base, quote, _ := strings.Cut(affiliate.PairName(pair), "/")
		return weex.Fill{Symbol: pair, Side: weex.Side(side), BaseCoin: affiliate.Coin(base), QuoteCoin: affiliate.Coin(quote), FillPrice: affiliate.Number(price),
			FillQuantity: affiliate.Number(quantity), FillTotalAmount: affiliate.Number(worth), Created: affiliate.MillisOf(now.Add(-ago))}
	}
	const btc, eth = "BTCUSDT_SPBL", "ETHUSDT_SPBL"
	many := make([]weex.Fill, FillsRead)
	for i := range many {
		many[i] = fill(btc, "buy", "1", "1", "1", time.Minute)
	}
	for want, list := range map[string][]weex.Fill{
		"Fill of BTC/USDT at 14:04:00 UTC: bought 0.01 BTC at 43,120.50 USDT.": {fill(btc, "buy", "43120.50", "0.01", "431.205", time.Minute)},
		"3 fills of BTC/USDT since 14:02:00 UTC: bought 0.030000000000000001 BTC for 1,200.000000000000000001 USDT, sold 1 BTC at 43,000 USDT.": {
			fill(btc, "buy", "40000", "0.02", "800.000000000000000001", time.Minute), fill(btc, "buy", "40000", "0.010000000000000001", "400", 3*time.Minute), fill(btc, "sell", "43000", "1", "", 2*time.Minute)},
		"2 fills of BTC/USDT since 27 Nov 14:05 UTC: bought an unknown quantity of BTC.":    {fill(btc, "buy", "", "", "", 24*time.Hour), fill(btc, "buy", "1", "2", "2", time.Minute)},
		"Fill of BTC/USDT at 14:04:00 UTC: of an unknown side.":                             {fill(btc, "", "1", "2", "2", time.Minute)},
		"3 fills of 2 pairs since 14:02:00 UTC: 2 of ETH/USDT, 1 of BTC/USDT.":              {fill(btc, "buy", "1", "2", "2", time.Minute), fill(eth, "buy", "1", "2", "2", 2*time.Minute), fill(eth, "buy", "1", "2", "2", 3*time.Minute)},
		"At least 100 fills of BTC/USDT since 14:04:00 UTC: bought 100 BTC for 100 USDT.":   many,
		"At least 101 fills of 2 pairs since 14:04:00 UTC: 100 of BTC/USDT, 1 of ETH/USDT.": append(many[:len(many):len(many)], fill(eth, "sell", "1", "1", "1", time.Second)),
	} {
		if got := strings.ReplaceAll(FillWords(list, now, time.UTC), "\u00a0", " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
