package affiliate_test

import (
	"strings"
	"testing"

	"rebatedesk/affiliate"
)

func TestNearestNames(t *testing.T) {
	t.Parallel()
	coins := []string{"BTC", "ETH", "USDC", "USDT", "WETH"}
	for text, want := range map[string]string{"usd": "USDC USDT", "USTD": "USDT", "btx": "BTC", "WTH": "ETH WETH", "": "BTC ETH USDC", strings.Repeat("x", 10_000): "BTC"} {
		if got := strings.Join(affiliate.Nearest(text, coins), " "); !strings.HasPrefix(got, want) {
			t.Errorf("nearest to %.20q are %s, want %s first", text, got, want)
		}
	}
	if coins[0] != "BTC" || len(affiliate.Nearest("x", nil)) != 0 {
		t.Error("the names were changed")
	}
}
