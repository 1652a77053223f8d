package programme

import (
	"testing"

	"rebatedesk/affiliate"
)

func TestScaled(t *testing.T) {
	for _, test := range []struct {
		units    int64
		decimals int
		want     affiliate.Number
	}{
		{0, 12, "0"}, {1, 12, "0.000000000001"}, {1000, 4, "0.1"}, {10000, 4, "1"}, {100, 0, "100"},
		{68_257_100, 8, "0.682571"}, {113_761_900_000, 8, "1137.619"}, {9_223_372_036_854_775_807, 12, "9223372.036854775807"},
	} {
		if got := scaled(test.units, test.decimals); got != test.want {
			t.Errorf("scaled(%d, %d) = %s, want %s", test.units, test.decimals, got, test.want)
		}
	}
}
