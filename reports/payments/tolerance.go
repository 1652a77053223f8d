package payments

import (
	"fmt"
	"strings"

	"rebatedesk/affiliate"
)

// ParseTolerance reads up to what balance an account counts as settled: "USDT=0.01,BTC=0.00000001". Coins are
// folded, as the exchange may spell one in several ways.
func ParseTolerance(text string) (map[affiliate.Coin]affiliate.Number, error) {
	amounts := map[affiliate.Coin]affiliate.Number{}
	for part := range strings.SplitSeq(text, ",") {
		coin, amount, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || coin == "" {
			return nil, fmt.Errorf("%.40q names no coin and amount", part)
		}
		n, err := affiliate.ParseNumber(strings.TrimSpace(amount))
		if err != nil || n.Decimal().IsNegative() {
			return nil, fmt.Errorf("%.40q is no amount of 0 or more", amount)
		}
		folded := affiliate.Coin(affiliate.Folded(strings.TrimSpace(coin)))
		if _, twice := amounts[folded]; twice {
			return nil, fmt.Errorf("%.40q is given twice", coin)
		}
		amounts[folded] = n
	}
	return amounts, nil
}
