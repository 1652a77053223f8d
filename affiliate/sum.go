package affiliate

import (
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Sum adds Numbers exactly. The zero Sum is ready for use and is zero.
//
// It counts in units of 10^-18 in a signed 128-bit integer, which holds every
// number of up to 18 digits and 18 decimals a hundred times over; what does
// not fit goes over into a big.Int. Nothing is ever rounded.
type Sum struct {
	high int64
	low  uint64
	rest *big.Int
}

// pow10 holds the powers of ten that fit into 64 bits.
var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Add adds n. An unknown number adds nothing. n must have come from
// [ParseNumber] or from another Sum; any other text is ignored with a false
// answer, so that a caller that reads foreign data can refuse it.
func (s *Sum) Add(n Number) bool { return s.add(n, false) }

// Sub takes n away, under the rules of [Sum.Add].
func (s *Sum) Sub(n Number) bool { return s.add(n, true) }

func (s *Sum) add(n Number, negative bool) bool {
	if n == "" {
		return true
	}
	if !plainDecimal(string(n), maxSumDigits) {
		return false
	}
	text := string(n)
	if text[0] == '-' {
		text, negative = text[1:], !negative
	}
	var whole, fraction uint64
	i := 0
	for ; i < len(text) && text[i] != '.'; i++ {
		if i >= 18 {
			s.addBig(text, negative)
			return true
		}
		whole = whole*10 + uint64(text[i]-'0')
	}
	decimals := 0
	for i++; i < len(text); i++ {
		fraction = fraction*10 + uint64(text[i]-'0')
		decimals++
	}
	fraction *= pow10[maxFractionDigits-decimals]
	high, low := bits.Mul64(whole, pow10[maxFractionDigits])
	low, carry := bits.Add64(low, fraction, 0)
	high += carry
	s.addUnits(high, low, negative)
	return true
}

// addUnits adds or subtracts high·2^64+low units, which is below 2^120.
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

// addBig adds a number without a sign that is too long for the counter.
func (s *Sum) addBig(text string, negative bool) {
	units := Number(text).Decimal().Shift(maxFractionDigits).BigInt()
	if negative {
		units.Neg(units)
	}
	s.restBig().Add(s.rest, units)
}

func (s *Sum) restBig() *big.Int {
	if s.rest == nil {
		s.rest = new(big.Int)
	}
	return s.rest
}

// spill empties the 128-bit counter into the big one.
func (s *Sum) spill() {
	s.restBig().Add(s.rest, s.counter())
	s.high, s.low = 0, 0
}

func (s *Sum) counter() *big.Int {
	units := big.NewInt(s.high)
	units.Lsh(units, 64)
	return units.Add(units, new(big.Int).SetUint64(s.low))
}

// AddSum adds what another Sum has counted.
func (s *Sum) AddSum(o Sum) {
	s.restBig().Add(s.rest, o.units())
}

func (s *Sum) units() *big.Int {
	units := s.counter()
	if s.rest != nil {
		units.Add(units, s.rest)
	}
	return units
}

// Decimal is the exact sum.
func (s *Sum) Decimal() decimal.Decimal {
	return decimal.NewFromBigInt(s.units(), -maxFractionDigits)
}

// String is the exact sum as a plain decimal without trailing zeros.
func (s *Sum) String() string { return s.Decimal().String() }
