package affiliate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Limits of a number accepted from outside. Longer numbers are refused before they are
// parsed: a million digits would cost seconds and gigabytes.
//
// MostDecimals is also the scale of every amount that is made of another by a price or a rate, see
// [Times].
const (
	maxNumberText    = 40
	maxIntegerDigits = 20
	MostDecimals     = 18
)

// maxSumDigits leaves room in a sum of such numbers for more digits than any realistic
// count of them needs.
const maxSumDigits = 40

// Number is a decimal number exactly as the exchange wrote it, digits and
// trailing zeros kept: "0.0682571", "1137.619", "-5.00". The empty Number
// means that the value is unknown; it is never taken for zero.
//
// A Number that came from [ParseNumber] is plain: at most 20 digits, then at
// most 18 decimals, no exponent, no separators.
type Number string

// ParseNumber accepts s unchanged if it is a plain decimal. A small exponent, which some
// JSON writers use for tiny values ("6.8E-7"), is written out exactly. Anything else (NaN,
// hexadecimal, separators, an endless run of digits) is an error and never zero.
func ParseNumber(s string) (Number, error) {
	if plainNumber(s) {
		return Number(s), nil
	}
	if n, ok := expandExponent(s); ok {
		return n, nil
	}
	if len(s) > maxNumberText {
		s = s[:maxNumberText] + "…"
	}
	return "", fmt.Errorf("%q is not a decimal number of at most %d digits and %d decimals", s, maxIntegerDigits, MostDecimals)
}

// plainNumber reports whether s has the form -?digits[.digits] within the
// limits.
func plainNumber(s string) bool {
	return len(s) <= maxNumberText && plainDecimal(s, maxIntegerDigits)
}

// plainDecimal is plainNumber with the given limit of digits before the point.
func plainDecimal(s string, most int) bool {
	if len(s) > 1+most+1+MostDecimals {
		return false
	}
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > most {
		return false
	}
	return !dotted || digits(fraction) && len(fraction) <= MostDecimals
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// expandExponent turns 6.8E-7 into 0.00000068.
func expandExponent(s string) (Number, bool) {
	at := strings.IndexAny(s, "eE")
	if at < 0 || len(s) > maxNumberText || !plainNumber(s[:at]) {
		return "", false
	}
	exponent, err := strconv.Atoi(s[at+1:])
	if err != nil || exponent < -MostDecimals || exponent > maxIntegerDigits {
		return "", false
	}
	mantissa, err := decimal.NewFromString(s[:at])
	if err != nil {
		return "", false
	}
	text := mantissa.Shift(int32(exponent)).String()
	return Number(text), plainNumber(text)
}

// Known reports whether n has a value.
func (n Number) Known() bool { return n != "" }

// Decimal returns the value of n for arithmetic. An unknown number has no value, so the
// caller checks [Number.Known] first. Decimal panics on text that did not pass
// [ParseNumber], because continuing silently with zero would produce a wrong total.
func (n Number) Decimal() decimal.Decimal {
	d, err := decimal.NewFromString(string(n))
	if err != nil {
		panic(fmt.Sprintf("affiliate: Decimal of the unparsed number %.50q", string(n)))
	}
	return d
}

// IsZero reports whether n is known and equal to zero.
func (n Number) IsZero() bool {
	return n.Known() && strings.Trim(string(n), "-0.") == ""
}

// Canonical returns the same text for numbers of the same value: without trailing zeros,
// leading zeros or a negative zero. Unknown stays unknown.
func (n Number) Canonical() Number {
	if n.plainCanonical() {
		return n
	}
	s := string(n)
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	s = strings.TrimLeft(s, "0")
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	if negative && s != "0" {
		s = "-" + s
	}
	return Number(s)
}

// plainCanonical recognises the usual case without allocating.
func (n Number) plainCanonical() bool {
	if n == "" || n == "0" {
		return true
	}
	if n[0] == '-' {
		return false
	}
	if n[0] == '0' && (len(n) < 2 || n[1] != '.') {
		return false
	}
	return strings.IndexByte(string(n), '.') < 0 || n[len(n)-1] != '0' && n[len(n)-1] != '.'
}

// Cmp compares the values of two known numbers: -1, 0 or +1.
func (n Number) Cmp(o Number) int {
	if c, ok := n.compareDigits(o); ok {
		return c
	}
	a, b := n.Canonical(), o.Canonical()
	negative := a[0] == '-'
	if negative != (b[0] == '-') {
		if negative {
			return -1
		}
		return 1
	}
	if negative {
		return comparePlain(string(b[1:]), string(a[1:]))
	}
	return comparePlain(string(a), string(b))
}

// compareDigits compares most numbers as they are written: not negative, without leading
// zeros, and different before the shorter one ends.
func (n Number) compareDigits(o Number) (c int, ok bool) {
	a, b := n.wholeDigits(), o.wholeDigits()
	if a == 0 || b == 0 {
		return 0, false
	}
	if a != b {
		return cmp.Compare(a, b), true
	}
	shorter := min(len(n), len(o))
	c = cmp.Compare(n[:shorter], o[:shorter])
	return c, c != 0
}

// wholeDigits counts the digits before the point; 0 means that there is a sign or a leading
// zero before another digit.
func (n Number) wholeDigits() int {
	digits := strings.IndexByte(string(n), '.')
	if digits < 0 {
		digits = len(n)
	}
	if digits == 0 || n[0] == '-' || n[0] == '0' && digits > 1 {
		return 0
	}
	return digits
}

// comparePlain compares two canonical numbers without a sign.
func comparePlain(a, b string) int {
	wholeA, fractionA, _ := strings.Cut(a, ".")
	wholeB, fractionB, _ := strings.Cut(b, ".")
	if c := cmp.Compare(len(wholeA), len(wholeB)); c != 0 {
		return c
	}
	if c := cmp.Compare(wholeA, wholeB); c != 0 {
		return c
	}
	// Without trailing zeros, fractions sort like words.
	return cmp.Compare(fractionA, fractionB)
}
