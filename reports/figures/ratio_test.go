package figures

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// Only parts of one sign have shares of their sum. Of parts of both signs the positive ones have
// shares of their own sum, and say so.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		parts []int64
		want  []string // empty: none
		part  bool
	}{
		{[]int64{100, 50, -120}, []string{"66.7", "33.3", ""}, true},
		{[]int64{100, 50}, []string{"66.7", "33.3"}, false},
		{[]int64{100, 0}, []string{"100", "0"}, false},
		{[]int64{-30, -10}, []string{"75", "25"}, false},
		{[]int64{0, 0}, []string{"", ""}, false},
		{nil, nil, false},
	} {
		var parts []decimal.Decimal
		for _, n := range c.parts {
			parts = append(parts, decimal.NewFromInt(n))
		}
		whole := PortionsOf(parts...)
		for i, part := range parts {
			r, got := whole.Share(part), ""
			if r.Known {
				got = r.Percent.String()
			}
			if got != c.want[i] || r.OfPositive != (c.part && r.Known) {
				t.Errorf("%v: the share of %s is %q, %+v, want %q", c.parts, part, got, r, c.want[i])
			}
		}
	}
}

// A share is never negative and never above 100, and those of all parts that have one add up to 100
// but for rounding.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole Portions
		var parts []decimal.Decimal
		for _, n := range rapid.SliceOfN(rapid.Int64Range(-1_000_000, 1_000_000), 1, 9).Draw(t, "parts") {
			part := decimal.New(n, -2)
			parts = append(parts, part)
			whole.Add(part)
		}
		sum, some := decimal.Zero, int64(0)
		for _, part := range parts {
			r := whole.Share(part)
			if r.Percent.IsNegative() || r.Percent.GreaterThan(decimal.NewFromInt(100)) {
				t.Fatalf("%v: the share of %s is %s", parts, part, r.Percent)
			}
			if r.Known {
				sum, some = sum.Add(r.Percent), some+1
			}
		}
		if off := sum.Sub(decimal.NewFromInt(100)).Abs(); some > 0 && off.GreaterThan(decimal.New(some, -1)) {
			t.Fatalf("%v: the shares add up to %s", parts, sum)
		}
	})
}
