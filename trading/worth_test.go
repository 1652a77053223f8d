package trading

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// A worth of more decimals than are kept is rounded up, so that no order passes a cap by its rounding.
func TestWorthIsRoundedUp(t *testing.T) {
	for _, c := range []struct{ price, quantity, want string }{
		{"0.0000000001", "0.0000000123456789", "0.000000000000000002"},
		{"80000.5", "0.001", "80.0005"},
	} {
		if got := worth(decimal.RequireFromString(c.price), affiliate.Number(c.quantity)); string(got) != c.want {
			t.Errorf("%s × %s is worth %s, want %s", c.price, c.quantity, got, c.want)
		}
	}
}
