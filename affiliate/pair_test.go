package affiliate_test

import (
	"strings"
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
	for text, want := range map[string]string{"BTC/USDT": "cmt_btcusdt", " btc-usdt ": "cmt_btcusdt", "btcusdt": "cmt_btcusdt", "CMT_btcusdt": "cmt_btcusdt", "BTC/USDT futures": "cmt_btcusdt",
		"": "", "BTCUSDT_SPBL": "BTCUSDT_SPBL", "<b>": "cmt_<b>"} {
		if got := affiliate.ContractSymbolOf(text); got != want {
			t.Errorf("%q is read as the contract %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"btc/usdt": "BTCUSDT_SPBL", "Btc/Usdt Futures": "cmt_btcusdt", "BTCUSDT": "BTCUSDT", "a/b/c": "a/b/c", "/": "/", "x futures": "x futures"} {
		if got := affiliate.SymbolOf(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// A field shows a pair as people write it, and reads that as the same symbol.
func TestWrittenPairsAreRead(t *testing.T) {
	for _, coins := range []string{"BTCUSDT", "ETHBTC", "1000SATSUSDC", "ABCEUR", "USDT"} {
		spot, contract := coins+"_SPBL", "cmt_"+strings.ToLower(coins)
		if got := affiliate.SpotSymbolOf(affiliate.WrittenPair(spot, affiliate.SpotSymbolOf)); got != spot || !affiliate.IsSpotSymbol(spot) || affiliate.IsContractSymbol(spot) {
			t.Errorf("%q is shown as %q and read as %q", spot, affiliate.WrittenPair(spot, affiliate.SpotSymbolOf), got)
		}
		if got := affiliate.ContractSymbolOf(affiliate.WrittenPair(contract, affiliate.ContractSymbolOf)); got != contract || !affiliate.IsContractSymbol(contract) || affiliate.IsSpotSymbol(contract) {
			t.Errorf("%q is shown as %q and read as %q", contract, affiliate.WrittenPair(contract, affiliate.ContractSymbolOf), got)
		}
	}
	for _, text := range []string{"", "_SPBL", "cmt_", "btc/usdt", "BTC/USDT_SPBL", "cmt_BTCUSDT", "Ａ_SPBL"} {
		if affiliate.IsSpotSymbol(text) || affiliate.IsContractSymbol(text) {
			t.Errorf("%q is taken for a symbol", text)
		}
	}
	if got := affiliate.WrittenPair("cmt_btcusdt", affiliate.SpotSymbolOf); got != "cmt_btcusdt" {
		t.Errorf("a contract in a field for spot pairs is shown as %q", got)
	}
	if got := affiliate.WrittenPair("BTCUSDT_SPBL", affiliate.ContractSymbolOf); got != "BTCUSDT_SPBL" {
		t.Errorf("a spot pair in a field for contracts is shown as %q", got)
	}
	for part, want := range map[string]bool{"": true, "btc/us": true, " BTC-USDT ": true, "USDT_SPBL": true, "ETH": false} {
		if affiliate.PairHolds("BTCUSDT_SPBL", part) != want {
			t.Errorf("%q: it is held, or not, want %v", part, want)
		}
	}
	if got := affiliate.SpotSymbol("btc", "USDT"); got != "BTCUSDT_SPBL" {
		t.Errorf("the pair of two coins is %q", got)
	}
}
