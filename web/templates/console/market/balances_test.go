package market

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
)

// Balances are valued exactly, a worth that is not known is never zero, and the total says what is
// not in it.
func TestBalances(t *testing.T) {
	at := time.Date(2026, 11, 28, 14, 0, 0, 0, time.UTC)
	bill := func(coin, amount string, n int) weex.Bill {
		return weex.Bill{CoinName: affiliate.Coin(coin), AfterAmount: affiliate.Number(amount), Created: affiliate.MillisOf(at) + affiliate.Millis(n)}
	}
	v := DeskView{}
	v.Wallet.Bills = market.Answered[[]weex.Bill]{Value: []weex.Bill{
		bill("BTC", "9", 1), bill("BTC", "0.123456789012345678", 2), bill("USDT", "100.005", 1), bill("XYZ", "5", 1), bill("ABC", "0", 1), bill("ETH", "1", 1),
	}, At: at}
	v.Tickers = market.Answered[map[string]weex.Ticker]{Value: map[string]weex.Ticker{
		"BTCUSDT_SPBL": {LastPrice: "43120.123456789012345678"}, "ETHUSDT_SPBL": {LastPrice: "0"},
	}, At: at}
	all := v.balances()
	worth := map[affiliate.Coin]string{}
	for _, b := range all.Coins {
		if worth[b.CoinName] = "unknown"; b.Known {
			worth[b.CoinName] = b.Worth.Value.String()
		}
	}
	exact := affiliate.Number("5323.471983791098874197").Decimal() // to 18 decimals
	if worth["BTC"] != exact.String() || worth["USDT"] != "100.005" || worth["XYZ"] != "unknown" || worth["ABC"] != "0" || worth["ETH"] != "unknown" {
		t.Errorf("worth %v", worth)
	}
	if !all.Known || all.Total.Value.Cmp(exact.Add(affiliate.Number("100.005").Decimal())) != 0 || strings.Join(all.Without, " ") != "ETH XYZ" {
		t.Errorf("total %s without %v", all.Total.Value, all.Without)
	}
	if words := all.words(at, nil, time.UTC); words != "Worth at the last prices, of 14:00:00 UTC. The total is without ETH and XYZ, which have no known price in USDT." {
		t.Error(words)
	}
	v.Tickers = market.Answered[map[string]weex.Ticker]{Err: errors.New("no answer")}
	v.Wallet.Bills.Value = v.Wallet.Bills.Value[:1]
	if all = v.balances(); all.Known || !strings.Contains(all.words(time.Time{}, v.Tickers.Err, time.UTC), "not known now") {
		t.Errorf("without prices: %+v", all)
	}
}
