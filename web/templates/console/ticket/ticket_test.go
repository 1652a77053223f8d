package ticket

import (
	"testing"

	"rebatedesk/exchange/weex"
	"rebatedesk/trading"
)

// The button of a ticket says what is reviewed, and nothing that is not known.
func TestTicketSum(t *testing.T) {
	rules := weex.TradingPair{BaseCoin: "BTC", QuoteCoin: "USDT"}
	flight := func(lines []trading.FlightLine, list ...trading.Order) *trading.Flight {
		return &trading.Flight{Draft: trading.Draft{Orders: list}, Lines: lines}
	}
	limit := trading.Order{Side: "buy", Type: "limit", Quantity: "1200.5", Worth: "2401", Coin: "USDT"}
	market := trading.Order{Side: "sell", Type: "market", Quantity: "0.02"}
	unknown := trading.Order{Side: "buy", Type: "market", Quantity: "1", Coin: "USDT"}
	for name, c := range map[string]struct {
		checked TicketChecked
		want    string
	}{
		"limit":           {TicketChecked{Kind: "place", Rules: rules, Value: "2401", Flight: flight(nil, limit)}, "buy 1,200.5\u00a0BTC for 2,401\u00a0USDT"},
		"market":          {TicketChecked{Kind: "place", Rules: rules, Value: "860.1", Flight: flight(nil, market)}, "sell 0.02\u00a0BTC, about 860.1\u00a0USDT"},
		"no price":        {TicketChecked{Kind: "place", Rules: rules, Flight: flight(nil, market)}, "sell 0.02\u00a0BTC"},
		"not filled in":   {TicketChecked{Kind: "place", Rules: rules, Value: "2401", Missing: []string{"price"}, Flight: flight(nil, limit)}, ""},
		"nothing checked": {TicketChecked{Kind: "place"}, ""},
		"against it": {TicketChecked{Kind: "place", Rules: rules, Value: "2401", Flight: flight([]trading.FlightLine{{Rule: trading.RuleOrderCap, Verdict: trading.VerdictFail}}, limit)},
			"1 rule against it"},
		"several":        {TicketChecked{Kind: "batch", Flight: flight(nil, limit, limit)}, "2 orders, worth up to 4,802\u00a0USDT"},
		"one not valued": {TicketChecked{Kind: "batch", Flight: flight(nil, limit, unknown)}, "2 orders"},
	} {
		if got := c.checked.sum(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
