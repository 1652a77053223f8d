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

// SpotSymbolOf returns the symbol of the spot pair that a user wrote where only spot pairs are
// meant: BTCUSDT_SPBL for "btc/usdt", "BTC-USDT", "BTCUSDT" and itself. The symbol or name of a
// contract stays as it is, so that it is refused.
func SpotSymbolOf(text string) string {
	text = strings.TrimSpace(text)
	lower := strings.ToLower(text)
	if text == "" || IsContract(lower) || strings.HasSuffix(lower, futuresWord) {
		return text
	}
	symbol := withoutMarks.Replace(strings.ToUpper(text))
	if !strings.HasSuffix(symbol, spotMark) {
		symbol += spotMark
	}
	return symbol
}

// ContractSymbolOf returns the symbol of the contract pair that a user wrote where only contract
// pairs are meant: cmt_btcusdt for "BTC/USDT", "btc-usdt", "BTC/USDT futures" and itself. The symbol
// of a spot pair stays as it is, so that it is refused.
func ContractSymbolOf(text string) string {
	text = strings.TrimSpace(text)
	symbol := withoutMarks.Replace(strings.TrimSuffix(strings.ToLower(text), futuresWord))
	if symbol == "" || strings.HasSuffix(symbol, strings.ToLower(spotMark)) {
		return text
	}
	return contractMark + strings.TrimPrefix(symbol, contractMark)
}

// withoutMarks removes what people write between the coins of a pair.
var withoutMarks = strings.NewReplacer("/", "", "-", "", " ", "")

// PairHolds reports whether a part of a pair, as people may write it, occurs in a symbol.
func PairHolds(symbol, part string) bool {
	return strings.Contains(strings.ToUpper(symbol), withoutMarks.Replace(strings.ToUpper(part)))
}

// SpotSymbol returns the symbol of the spot pair of two coins.
func SpotSymbol(base, quote Coin) string {
	return strings.ToUpper(string(base)) + strings.ToUpper(string(quote)) + spotMark
}

// IsSpotSymbol reports whether a text has exactly the form of a symbol of the spot market.
func IsSpotSymbol(text string) bool {
	coins, marked := strings.CutSuffix(text, spotMark)
	return marked && coins != "" && !strings.ContainsFunc(coins, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
}

// IsContractSymbol reports whether a text has exactly the form of a symbol of the contract market.
func IsContractSymbol(text string) bool {
	coins, marked := strings.CutPrefix(text, contractMark)
	return marked && coins != "" && !strings.ContainsFunc(coins, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// WrittenPair returns a symbol as people write it in a field for pairs: BTC/USDT. A text that the
// field would not read back as the same symbol stays as it is, so that its writer can mend it. How
// the field reads is [SpotSymbolOf] or [ContractSymbolOf].
func WrittenPair(symbol string, read func(string) string) string {
	if name := PairName(symbol); read(name) == symbol {
		return name
	}
	return symbol
}

// IsContract reports whether a symbol is one of the contract market.
func IsContract(symbol string) bool { return strings.HasPrefix(symbol, contractMark) }

// IsSpot reports whether a symbol is one of the spot market.
func IsSpot(symbol string) bool {
	return len(symbol) > len(spotMark) && strings.HasSuffix(symbol, spotMark)
}
