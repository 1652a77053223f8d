package still

import (
	"strconv"
	"strings"
	"testing"
)

func TestAxis(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 23.8, "0 10 20 30"}, {0, 100, "0 50 100"}, {0, 0, "0.0 0.5 1.0"}, {0, 103, "0 50 100 150"}, {-12, 40, "-20 0 20 40"}, {-5, -1, "-6 -4 -2 0"},
		{0, 0.00003, "0.00000 0.00001 0.00002 0.00003"}, {0, 9876, "0 5000 10000"}, {0, 1e-8, "0.000000000 0.000000005 0.000000010"},
	} {
		values, decimals := fromZero(c.low, c.high)
		var texts []string
		for _, v := range values {
			texts = append(texts, strconv.FormatFloat(v, 'f', decimals, 64))
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%g to %g is divided at %q, want %q", c.low, c.high, got, c.want)
		}
	}
}
