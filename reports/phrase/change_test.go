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
		{"1", "0.000000000000000001", "from nearly nothing"}, {"-50", "1", "×\u00a0-50"},
	} {
		change := figures.ChangeOf(decimal.RequireFromString(c.now), decimal.RequireFromString(c.before))
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
