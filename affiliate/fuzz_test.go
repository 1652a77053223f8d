package affiliate_test

import (
	"math/big"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Whatever text comes, a number that is accepted is plain, within its limits
// and worth what the text says; the sum of it and its negative is zero.
func FuzzParseNumber(f *testing.F) {
	for _, text := range []string{"0.0682571", "-5.00", "6.8E-7", "1e9999999", "NaN", "98765432109876543210", "", "-", ".5", "0x1p4", "1_0", "１"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := affiliate.ParseNumber(text)
		if err != nil {
			if n.Known() {
				t.Fatalf("%q is refused and gives %q", text, n)
			}
			return
		}
		want, ok := new(big.Rat).SetString(text)
		got, ok2 := new(big.Rat).SetString(string(n))
		if !ok || !ok2 || got.Cmp(want) != 0 || len(n) > 40 {
			t.Fatalf("%q became %q", text, n)
		}
		if c := n.Canonical(); !c.Decimal().Equal(n.Decimal()) || c.Cmp(n) != 0 {
			t.Fatalf("%q is %q in canonical form", n, c)
		}
		var sum affiliate.Sum
		if !sum.Add(n) || !sum.Decimal().Equal(n.Decimal()) || !sum.Sub(n) || !sum.Decimal().Equal(decimal.Zero) {
			t.Fatalf("%q does not add up: %s", n, sum.String())
		}
	})
}
