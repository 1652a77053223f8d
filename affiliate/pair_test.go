package affiliate_test

import (
	"testing"

	"rebatedesk/affiliate"
)

func TestPairNames(t *testing.T) {
	for symbol, want := range map[string][2]string{
		"BTCUSDT_SPBL":    {"BTC/USDT", "BTC/USDT"},
		"cmt_btcusdt":     {"BTC/USDT", "BTC/USDT futures"},
		"cmt_1000pepeusd": {"1000PEPEUSD", "1000PEPEUSD futures"},
		"ETHBTC_SPBL":     {"ETH/BTC", "ETH/BTC"},
		"USDT_SPBL":       {"USDT", "USDT"},
		"BTCUSDT":         {"BTC/USDT", "BTCUSDT"},
		"":                {"", ""},
	} {
		if name, market := affiliate.PairName(symbol), affiliate.MarketPair(symbol); name != want[0] || market != want[1] {
			t.Errorf("%q is %q, and with its market %q, want %q", symbol, name, market, want)
		}
	}
}

// What a page shows as a pair can be typed as a filter.
func TestSymbolOfPairNames(t *testing.T) {
	for _, symbol := range []string{"BTCUSDT_SPBL", "cmt_btcusdt", "ETHBTC_SPBL", "cmt_dogeusdc"} {
		if got := affiliate.SymbolOf(affiliate.MarketPair(symbol)); got != symbol {
			t.Errorf("%q is read as %q", affiliate.MarketPair(symbol), got)
		}
	}
	for text, want := range map[string]string{"btc/usdt": "BTCUSDT_SPBL", " BTC-usdt ": "BTCUSDT_SPBL", "ethBTC": "ETHBTC_SPBL", "btcusdt_spbl": "BTCUSDT_SPBL", "a/b/c": "ABC_SPBL",
		"": "", "CMT_btcusdt": "CMT_btcusdt", "BTC/USDT futures": "BTC/USDT futures"} {
		if got := affiliate.SpotSymbolOf(text); got != want {
			t.Errorf("%q is read as the spot pair %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"btc/usdt": "BTCUSDT_SPBL", "Btc/Usdt Futures": "cmt_btcusdt", "BTCUSDT": "BTCUSDT", "a/b/c": "a/b/c", "/": "/", "x futures": "x futures"} {
		if got := affiliate.SymbolOf(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
