package affiliate_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]affiliate.Number{
		"0.0682571":                       "0.0682571",
		"-5.00":                           "-5.00",
		"98765432109876543210":            "98765432109876543210",
		"0.000000000000000001":            "0.000000000000000001",
		"6.8E-7":                          "0.00000068",
		"-1.5e3":                          "-1500",
		"1e20":                            "",
		"1e9999999":                       "",
		"1e-19":                           "",
		"NaN":                             "",
		"Infinity":                        "",
		"0x10":                            "",
		"1,000":                           "",
		"1_000":                           "",
		" 1":                              "",
		"+1":                              "",
		".5":                              "",
		"5.":                              "",
		"":                                "",
		"-":                               "",
		"1.2.3":                           "",
		"１":                               "",
		strings.Repeat("9", 21):           "",
		"0." + strings.Repeat("1", 19):    "",
		strings.Repeat("9", 1_000_000):    "",
		"0e" + strings.Repeat("9", 1_000): "",
	} {
		got, err := affiliate.ParseNumber(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseNumber(%.30q) = %q, %v; want %q", text, got, err, want)
		}
	}
}

// plain draws a number that ParseNumber accepts.
func plain(t *rapid.T) affiliate.Number {
	return affiliate.Number(rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,18})?`).Draw(t, "number"))
}

func TestCanonicalKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := plain(t), plain(t)
		if !a.Canonical().Decimal().Equal(a.Decimal()) {
			t.Fatalf("Canonical(%s) = %s", a, a.Canonical())
		}
		if want := a.Decimal().String(); string(a.Canonical()) != want {
			t.Fatalf("Canonical(%s) = %s, want %s", a, a.Canonical(), want)
		}
		if got, want := a.Cmp(b), a.Decimal().Cmp(b.Decimal()); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
		}
		if a.IsZero() != a.Decimal().IsZero() {
			t.Fatalf("IsZero(%s) = %v", a, a.IsZero())
		}
	})
}

func TestSumIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum, part affiliate.Sum
		want := new(big.Rat)
		for i, n := range rapid.SliceOfN(rapid.Custom(plain), 0, 50).Draw(t, "numbers") {
			value, _ := new(big.Rat).SetString(string(n))
			target := &sum
			if i%3 == 0 {
				target = &part
			}
			if i%5 == 0 {
				target.Sub(n)
				want.Sub(want, value)
			} else {
				target.Add(n)
				want.Add(want, value)
			}
		}
		sum.AddSum(part)
		if got, _ := new(big.Rat).SetString(sum.String()); got.Cmp(want) != 0 {
			t.Fatalf("sum is %s, want %s", sum.String(), want.FloatString(18))
		}
	})
}

// Sums are written and compared without the detour over decimals, which must
// not show.
func TestSumsAreWrittenAndComparedAsDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (sum affiliate.Sum) {
			for i, n := range rapid.SliceOfN(rapid.Custom(plain), 0, 5).Draw(t, name) {
				if i%2 == 0 {
					sum.Add(n)
				} else {
					sum.Sub(n)
				}
			}
			return sum
		}
		a, b := draw("a"), draw("b")
		if a.String() != a.Decimal().String() {
			t.Fatalf("%s is written %s", a.Decimal(), a.String())
		}
		if got, want := a.Cmp(&b), a.Decimal().Cmp(b.Decimal()); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a.String(), b.String(), got, want)
		}
		together := a
		together.AddDecimal(b.Decimal())
		a.AddSum(b)
		if together.Cmp(&a) != 0 {
			t.Fatalf("with %s it is %s, want %s", b.Decimal(), together.String(), a.String())
		}
	})
}

// Sums that outgrow the counter stay exact: doubled until far beyond it, in
// both directions.
func TestSumOutgrowsItsCounter(t *testing.T) {
	for _, start := range []affiliate.Number{"0.000000000000000001", "-0.000000000000000003", "123456789012345678.9"} {
		var sum affiliate.Sum
		sum.Add(start)
		want, _ := new(big.Rat).SetString(string(start))
		for range 200 {
			sum.AddSum(sum)
			want.Add(want, want)
			if got, ok := new(big.Rat).SetString(sum.String()); !ok || got.Cmp(want) != 0 {
				t.Fatalf("%s became %s, want %s", start, sum.String(), want.FloatString(18))
			}
		}
	}
}

func TestSumOfManyLargestNumbers(t *testing.T) {
	var sum affiliate.Sum
	largest := affiliate.Number("999999999999999999.999999999999999999")
	for range 1000 {
		sum.Add(largest)
	}
	if got, want := sum.String(), largest.Decimal().Mul(decimal.NewFromInt(1000)).String(); got != want {
		t.Errorf("sum is %s, want %s", got, want)
	}
}

// A sum has more digits than a number may have, and can be added up again.
func TestSumOfSums(t *testing.T) {
	var part, whole affiliate.Sum
	for range 1000 {
		part.Add("99999999999999999999.999999999999999999")
	}
	for range 1000 {
		if !whole.Add(affiliate.Number(part.String())) {
			t.Fatalf("the sum %s cannot be added", part.String())
		}
	}
	if got := whole.String(); got != "99999999999999999999999999.999999999999" {
		t.Errorf("the sum of sums is %s", got)
	}
}

func TestSumRefusesWhatIsNoNumber(t *testing.T) {
	var sum affiliate.Sum
	if sum.Add("1e5") || !sum.Add("") || sum.String() != "0" {
		t.Errorf("after refused and unknown numbers the sum is %s", sum.String())
	}
}

func TestAmountForReading(t *testing.T) {
	for _, c := range []struct {
		value string
		coin  affiliate.Coin
		want  string
	}{
		{"1284.551", "USDT", "1,284.55 USDT"},
		{"-1284.555", "USDT", "-1,284.56 USDT"},
		{"0.00042", "USDT", "<0.01 USDT"},
		{"-0.00042", "USDT", "-<0.01 USDT"},
		{"0.005", "USDT", "0.01 USDT"},
		{"0.000000000000000001", "USDT", "<0.01 USDT"},
		{"0", "USDT", "0.00 USDT"},
		{"1000000", "USDT", "1,000,000 USDT"},
		{"0.123456789012", "BTC", "0.12345679 BTC"},
		{"-0.000123456789012", "BTC", "-0.00012345679 BTC"},
		{"1234567890.5", "BTC", "1,234,567,891 BTC"},
		{"12.5", "ETH", "12.5 ETH"},
		{"0", "BTC", "0 BTC"},
	} {
		amount := affiliate.Amount{Value: decimal.RequireFromString(c.value), Coin: c.coin}
		if got := amount.String(); got != c.want {
			t.Errorf("%s %s reads %q, want %q", c.value, c.coin, got, c.want)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	numbers := []affiliate.Number{"0.0682571", "1137.619", "-5.00", "0", "123456.12345678"}
	b.Run("ours", func(b *testing.B) {
		var sum affiliate.Sum
		for i := 0; b.Loop(); i++ {
			sum.Add(numbers[i%len(numbers)])
		}
	})
	b.Run("decimal", func(b *testing.B) {
		var sum decimal.Decimal
		for i := 0; b.Loop(); i++ {
			sum = sum.Add(numbers[i%len(numbers)].Decimal())
		}
	})
}

// Decimals of any length are added exactly: what is too large or too fine for the counter too.
func TestSumOfDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum affiliate.Sum
		want := new(big.Rat)
		for _, text := range rapid.SliceOfN(rapid.StringMatching(`-?[0-9]{1,40}(\.[0-9]{1,40})?`), 0, 6).Draw(t, "decimals") {
			sum.AddDecimal(decimal.RequireFromString(text))
			one, _ := new(big.Rat).SetString(text)
			want.Add(want, one)
		}
		negated, thrice := sum.Negated(), sum.Times(3)
		negated.AddSum(thrice)
		for _, got := range []string{sum.String(), sum.Decimal().String()} {
			if exact, ok := new(big.Rat).SetString(got); !ok || exact.Cmp(want) != 0 {
				t.Fatalf("the sum is %s, want %s", got, want.FloatString(40))
			}
		}
		if exact, ok := new(big.Rat).SetString(negated.String()); !ok || exact.Cmp(want.Mul(want, big.NewRat(2, 1))) != 0 {
			t.Fatalf("three times the sum less once is %s, want %s", negated.String(), want.FloatString(40))
		}
	})
}

// A product has 18 decimals at most, the nearest; of two that are as near, the even one.
func TestTimes(t *testing.T) {
	for _, c := range []struct{ amount, factor, want string }{
		{"0.0000000001", "0.000021369", "0.000000000000002137"},
		{"1", "0.333333333333", "0.333333333333"},
		{"0.00000001", "0.333333333333", "0.000000003333333333"},
		{"0.000000000000000001", "0.5", "0"},
		{"0.000000000000000003", "0.5", "0.000000000000000002"},
		{"-0.000000000000000003", "0.5", "-0.000000000000000002"},
		{"-0.000000000000000005", "0.5", "-0.000000000000000002"},
		{"99999999999999999999.999999999999999999", "61240.10", "6124009999999999999999999.99999999999993876"},
	} {
		if got := affiliate.Times(decimal.RequireFromString(c.amount), decimal.RequireFromString(c.factor)).String(); got != c.want {
			t.Errorf("%s at %s is %s, want %s", c.amount, c.factor, got, c.want)
		}
	}
}
