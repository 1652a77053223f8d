package affiliate

import "strings"

// How the exchange marks the symbols of its two markets.
const (
	contractMark = "cmt_"
	spotMark     = "_SPBL"
	futuresWord  = " futures"
)

// PairName returns a symbol of the exchange in the usual form of a pair: BTC/USDT for
// BTCUSDT_SPBL and for cmt_btcusdt. A symbol of another form is returned as it is.
func PairName(symbol string) string {
	name := strings.TrimSuffix(symbol, spotMark)
	if contract, ok := strings.CutPrefix(symbol, contractMark); ok {
		name = strings.ToUpper(contract)
	}
	for _, quote := range []string{"USDT", "USDC", "BTC", "ETH"} {
		if base, ok := strings.CutSuffix(name, quote); ok && base != "" {
			return base + "/" + quote
		}
	}
	return name
}

// MarketPair returns the name of a pair with its market if that is not spot, for places that do
// not say it otherwise: "BTC/USDT futures". A symbol that does not say its market stays as it is.
func MarketPair(symbol string) string {
	switch {
	case strings.HasPrefix(symbol, contractMark):
		return PairName(symbol) + futuresWord
	case strings.HasSuffix(symbol, spotMark):
		return PairName(symbol)
	}
	return symbol
}

// SymbolOf returns the symbol of a pair that is written as in [MarketPair], in any case. Other
// texts are returned as they are.
func SymbolOf(name string) string {
	pair, contract := strings.CutSuffix(strings.ToLower(strings.TrimSpace(name)), futuresWord)
	base, quote, ok := strings.Cut(pair, "/")
	switch {
	case !ok || base == "" || quote == "" || strings.Contains(quote, "/"):
		return name
	case contract:
		return contractMark + base + quote
	}
	return strings.ToUpper(base+quote) + spotMark
}
