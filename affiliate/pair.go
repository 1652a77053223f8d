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
	case IsContract(symbol):
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
	return SpotSymbolOf(pair)
}

// SpotSymbolOf returns the symbol of the spot pair that somebody wrote where only spot pairs are
// meant: BTCUSDT_SPBL for "btc/usdt", "BTC-USDT", "BTCUSDT" and itself. The symbol or name of a
// contract stays as it is, so that it is refused.
func SpotSymbolOf(text string) string {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	if text == "" || IsContract(lower) || strings.HasSuffix(lower, futuresWord) {
		return text
	}
	symbol := strings.NewReplacer("/", "", "-", "", " ", "").Replace(strings.ToUpper(text))
	if !strings.HasSuffix(symbol, spotMark) {
		symbol += spotMark
	}
	return symbol
}

// IsContract reports whether a symbol is one of the contract market.
func IsContract(symbol string) bool { return strings.HasPrefix(symbol, contractMark) }

// IsSpot reports whether a symbol is one of the spot market.
func IsSpot(symbol string) bool {
	return len(symbol) > len(spotMark) && strings.HasSuffix(symbol, spotMark)
}
