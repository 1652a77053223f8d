package affiliate

import (
	"strings"

	"github.com/shopspring/decimal"
)

// Amount is an exact quantity of one coin. Amounts of different coins are
// never added.
type Amount struct {
	Value decimal.Decimal
	Coin  Coin
}

// Times returns what an amount is at a price or a rate, to [MostDecimals], half to even. It is the
// one way to convert an amount and to apply a rate to it: two numbers of 18 decimals have a
// product of 36, which no sum, file or database takes.
func Times(amount, factor decimal.Decimal) decimal.Decimal {
	return amount.Mul(factor).RoundBank(MostDecimals)
}

// Exact returns the whole value with its coin: "1284.5512345 USDT".
func (a Amount) Exact() string {
	return strings.TrimSpace(a.Value.String() + " " + string(a.Coin))
}

// String returns the value in readable form, followed by the coin.
func (a Amount) String() string {
	return strings.TrimSpace(a.Short() + " " + string(a.Coin))
}

// Short returns the value in readable form, with commas between thousands: two decimals for
// stablecoins ([Cents]), up to eight significant digits for others ([Digits]).
func (a Amount) Short() string {
	if a.Coin.Stable() {
		return Cents(a.Value)
	}
	return Digits(a.Value)
}

// mostDigits is how many digits a figure has that is read. Its exact value is at hand beside it.
const mostDigits = 8

// Digits prints a decimal with at most eight significant digits, and never without those before the point.
func Digits(d decimal.Decimal) string { return Grouped(significant(d, mostDigits)) }

// Cents prints a decimal with two decimals, so that all values of a column have the same
// number; from a million on with none, as more than eight digits are not read. An amount that is
// not zero never reads as zero: it is "less than 0.01", with its sign.
func Cents(d decimal.Decimal) string {
	r := d.Round(2)
	switch {
	case r.Abs().Cmp(million) >= 0:
		return Grouped(d.Round(0).String())
	case !r.IsZero() || d.IsZero():
		return Grouped(r.StringFixed(2))
	case d.IsNegative():
		return "-<0.01"
	}
	return "<0.01"
}

var million = decimal.NewFromInt(1_000_000)

// significant rounds d to n significant digits, and at most to an integer.
func significant(d decimal.Decimal, n int32) string {
	magnitude := int32(d.NumDigits()) + d.Exponent() // digits before the point
	return d.Round(max(0, n-magnitude)).String()
}

// Grouped inserts commas between the thousands of a plain decimal.
func Grouped(plain string) string {
	sign := ""
	if strings.HasPrefix(plain, "-") {
		sign, plain = "-", plain[1:]
	}
	whole, fraction, dotted := strings.Cut(plain, ".")
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if dotted {
		b.WriteByte('.')
		b.WriteString(fraction)
	}
	return b.String()
}
