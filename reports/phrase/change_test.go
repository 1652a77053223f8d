package phrase

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/reports/figures"
)

// A change of any size shows its number, and a change too large for a percentage is shown
// as a factor.
func TestGrowth(t *testing.T) {
	for _, c := range []struct{ now, before, want string }{
		{"36.3827", "36.3862", "0.01\u00a0%"},
		{"1000000", "999999", "0.0001\u00a0%"},
		{"1000000000000000000", "999999999999999999", "<\u00a00.0001\u00a0%"},
		{"112.5", "100", "12.5\u00a0%"}, {"0", "3", "100.0\u00a0%"}, {"5", "5", ""}, {"5", "0", ""}, {"-5", "0", ""}, {"-6", "-5", ""},
		{"10.99", "1", "999.0\u00a0%"}, {"10.991", "1", "×\u00a011"}, {"136", "1", "×\u00a0136"}, {"1234", "1", "×\u00a01,234"},
		{"12345", "1", "×\u00a012\u00a0k"}, {"37000000", "1", "×\u00a037\u00a0M"}, {"999499999", "1", "×\u00a0999\u00a0M"},
		{"1", "0.000000000000000001", "from nearly nothing"}, {"-50", "1", ""},
	} {
		change := figures.ChangeOf("USDT", decimal.RequireFromString(c.now), decimal.RequireFromString(c.before))
		if got := Growth(change); got != c.want {
			t.Errorf("%s after %s: %q, want %q", c.now, c.before, got, c.want)
		}
	}
	for in, want := range map[string]string{"0": "0.0\u00a0%", "12.34": "12.3\u00a0%", "-0.004": "-0.004\u00a0%", "999": "999.0\u00a0%", "1200": "×\u00a012"} {
		if got := Percent(decimal.RequireFromString(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// A change from nothing, from a negative amount or to one is an amount: a percentage of these means
// nothing, and what was there before is not new.
func TestChangeWithoutPercentage(t *testing.T) {
	for _, c := range []struct {
		now, before   string
		text, meaning string
	}{
		{"30", "-50", "▲ 80.00 USDT", "up, from a negative amount in the compared period"},
		{"-80", "-50", "▼ 30.00 USDT", "down, from a negative amount in the compared period"},
		{"30", "0", "▲ 30.00 USDT", "up, from zero in the compared period"},
		{"-30", "0", "▼ 30.00 USDT", "down, from zero in the compared period"},
		{"-30", "50", "▼ 80.00 USDT", "down, to a negative amount"},
		{"0", "50", "▼ 100.0\u00a0%", "down"}, {"75", "50", "▲ 50.0\u00a0%", "up"}, {"-50", "-50", "no change", "against the compared period"},
	} {
		words := Change(figures.ChangeOf("USDT", decimal.RequireFromString(c.now), decimal.RequireFromString(c.before)))
		if words.String() != c.text || words.Meaning != c.meaning {
			t.Errorf("%s after %s: %q, %q", c.now, c.before, words, words.Meaning)
		}
	}
}
