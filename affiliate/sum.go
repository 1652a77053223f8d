package affiliate

import (
	"bytes"
	"cmp"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"
)

// Sum adds Numbers exactly. The zero Sum is ready for use and is zero.
//
// A copy of a Sum is independent of it.
//
// It counts in units of 10^-18 in a signed 128-bit integer, which has room for the sum of a
// hundred numbers of up to 18 digits and 18 decimals; anything larger or finer goes into a
// decimal. Nothing is ever rounded, and nothing overflows.
type Sum struct {
	high int64
	low  uint64
	rest *decimal.Decimal
}

// pow10 holds the powers of ten that fit into 64 bits.
var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Add adds n. An unknown number adds nothing. n must have come from [ParseNumber] or from
// another Sum; for any other text Add ignores it and returns false, so that a caller that
// reads foreign data can refuse it.
func (s *Sum) Add(n Number) bool { return s.add(n, false) }

// Sub subtracts n, under the rules of [Sum.Add].
func (s *Sum) Sub(n Number) bool { return s.add(n, true) }

func (s *Sum) add(n Number, negative bool) bool {
	if n == "" {
		return true
	}
	text := string(n)
	if text[0] == '-' {
		text, negative = text[1:], !negative
	}
	whole, fraction, ok := units(text)
	if !ok {
		if !plainDecimal(text, maxSumDigits) || text[0] == '-' {
			return false
		}
		s.addBig(text, negative)
		return true
	}
	high, low := bits.Mul64(whole, pow10[MostDecimals])
	low, carry := bits.Add64(low, fraction, 0)
	s.addUnits(high+carry, low, negative)
	return true
}

// AddUnits adds n·10^-decimals; decimals is at most 18.
func (s *Sum) AddUnits(n int64, decimals uint8) {
	size := uint64(n)
	if n < 0 {
		size = -size
	}
	high, low := bits.Mul64(size, pow10[MostDecimals-decimals])
	s.addUnits(high, low, n < 0)
}

// AddDecimal adds n.
func (s *Sum) AddDecimal(n decimal.Decimal) {
	if -MostDecimals <= n.Exponent() && n.Exponent() <= 0 && n.NumDigits() <= 18 {
		s.AddUnits(n.CoefficientInt64(), uint8(-n.Exponent()))
		return
	}
	s.addRest(n)
}

// units parses digits[.digits] in one pass, the fraction in units of 10^-18. It returns
// false for numbers longer than 18 digits and 18 decimals and for text that is no number;
// the slow path handles those.
func units(text string) (whole, fraction uint64, ok bool) {
	point := 0
	for ; point < len(text) && text[point] != '.'; point++ {
		digit := text[point] - '0'
		if digit > 9 {
			return 0, 0, false
		}
		whole = whole*10 + uint64(digit)
	}
	decimals := len(text) - point - 1
	if point == 0 || point > 18 || decimals == 0 || decimals > MostDecimals {
		return 0, 0, false
	}
	if decimals < 0 {
		return whole, 0, true
	}
	for _, c := range []byte(text[point+1:]) {
		digit := c - '0'
		if digit > 9 {
			return 0, 0, false
		}
		fraction = fraction*10 + uint64(digit)
	}
	return whole, fraction * pow10[MostDecimals-decimals], true
}

// addUnits adds or subtracts high·2^64+low units, which must be below 2^120.
func (s *Sum) addUnits(high, low uint64, negative bool) {
	if negative {
		var borrow uint64
		s.low, borrow = bits.Sub64(s.low, low, 0)
		s.high -= int64(high) + int64(borrow)
	} else {
		var carry uint64
		s.low, carry = bits.Add64(s.low, low, 0)
		s.high += int64(high) + int64(carry)
	}
	if s.high > 1<<62 || s.high < -(1<<62) {
		s.spill()
	}
}

// addBig adds an unsigned number that is too long for the counter.
func (s *Sum) addBig(text string, negative bool) {
	n := Number(text).Decimal()
	if negative {
		n = n.Neg()
	}
	s.addRest(n)
}

// addRest adds what does not fit into the counter. Copies of a Sum share the decimal, so it is
// replaced and never changed.
func (s *Sum) addRest(n decimal.Decimal) {
	if s.rest != nil {
		n = s.rest.Add(n)
	}
	s.rest = &n
}

// spill moves the 128-bit counter into the decimal.
func (s *Sum) spill() {
	s.addRest(s.counter())
	s.high, s.low = 0, 0
}

func (s *Sum) counter() decimal.Decimal {
	units := big.NewInt(s.high)
	units.Lsh(units, 64)
	return decimal.NewFromBigInt(units.Add(units, new(big.Int).SetUint64(s.low)), -MostDecimals)
}

// AddSum adds the value of another Sum.
func (s *Sum) AddSum(o Sum) {
	if o.rest != nil || o.high > 1<<61 || o.high < -(1<<61) {
		s.addRest(o.total())
		return
	}
	var carry uint64
	s.low, carry = bits.Add64(s.low, o.low, 0)
	s.high += o.high + int64(carry)
	if s.high > 1<<62 || s.high < -(1<<62) {
		s.spill()
	}
}

// Negated returns the sum with the opposite sign.
func (s Sum) Negated() Sum {
	var borrow uint64
	s.low, borrow = bits.Sub64(0, s.low, 0)
	s.high = -s.high - int64(borrow)
	if s.rest != nil {
		rest := s.rest.Neg()
		s.rest = &rest
	}
	return s
}

func (s *Sum) total() decimal.Decimal {
	total := s.counter()
	if s.rest != nil {
		total = total.Add(*s.rest)
	}
	return total
}

// Times returns n times the sum.
func (s Sum) Times(n int64) Sum {
	if high, low, negative, ok := s.size(); ok && s.rest == nil {
		times := uint64(n)
		if n < 0 {
			times, negative = -times, !negative
		}
		over, top := bits.Mul64(high, times)
		carry, low := bits.Mul64(low, times)
		top, more := bits.Add64(top, carry, 0)
		if over+more == 0 && top < 1<<56 {
			var product Sum
			product.addUnits(top, low, negative)
			return product
		}
	}
	var product Sum
	product.addRest(s.total().Mul(decimal.NewFromInt(n)))
	return product
}

// Cmp compares two sums by value: -1, 0 or +1.
func (s *Sum) Cmp(o *Sum) int {
	if s.rest == nil && o.rest == nil {
		return cmp.Or(cmp.Compare(s.high, o.high), cmp.Compare(s.low, o.low))
	}
	return s.total().Cmp(o.total())
}

// Decimal returns the exact sum. Sums of the usual size need one allocation: lists have
// hundreds of thousands of them.
func (s *Sum) Decimal() decimal.Decimal {
	if high, low, negative, ok := s.size(); ok && s.rest == nil {
		digits, decimals, ok := shortest(high, low)
		if ok && negative {
			return decimal.New(-int64(digits), -int32(decimals))
		} else if ok {
			return decimal.New(int64(digits), -int32(decimals))
		}
	}
	return s.total()
}

// shortest returns units as digits without trailing zeros, and how many of them are
// decimals. It returns false if the digits need more than 63 bits. high must be below
// 10^18.
func shortest(high, low uint64) (digits uint64, decimals uint8, ok bool) {
	whole, fraction := bits.Div64(high, low, pow10[MostDecimals])
	decimals = MostDecimals
	for _, step := range [...]uint8{10, 5, 2, 1, 1} { // at most 18 zeros, and 18 of zero
		if fraction%pow10[step] == 0 && step <= decimals {
			fraction /= pow10[step]
			decimals -= step
		}
	}
	high, digits = bits.Mul64(whole, pow10[decimals])
	digits, carry := bits.Add64(digits, fraction, 0)
	return digits, decimals, high+carry == 0 && digits < 1<<63
}

// String returns the exact sum as a plain decimal without trailing zeros.
func (s *Sum) String() string { return string(s.AppendTo(nil)) }

// AppendTo appends the result of String.
func (s *Sum) AppendTo(text []byte) []byte {
	high, low := uint64(s.high), s.low
	if s.high < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high = -high - borrow
	}
	if s.rest != nil || high >= pow10[MostDecimals] {
		return append(text, s.Decimal().String()...)
	}
	if s.high < 0 {
		text = append(text, '-')
	}
	whole, fraction := bits.Div64(high, low, pow10[MostDecimals])
	text = strconv.AppendUint(text, whole, 10)
	if fraction == 0 {
		return text
	}
	// The leading 1 keeps the zeros after the point; the point then replaces it.
	point := len(text)
	text = strconv.AppendUint(text, fraction+pow10[MostDecimals], 10)
	text[point] = '.'
	return bytes.TrimRight(text, "0")
}
