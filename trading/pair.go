package trading

import "rebatedesk/affiliate"

// pairName is the pair of the draft as sentences name it.
func (c *check) pairName() string { return affiliate.MarketPair(c.Draft.Pair) }

// exactPair names a pair with its symbol, for sentences about symbols.
func exactPair(symbol string) string {
	if name := affiliate.MarketPair(symbol); name != symbol {
		return name + " (" + symbol + ")"
	}
	return symbol
}

// recorded describes an intent for the audit log, with the symbol that is sent.
func recorded(in Intent) string { return Describe(in) + " Symbol: " + in.Pair + "." }
