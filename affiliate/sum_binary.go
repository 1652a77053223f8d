package affiliate

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// A binary sum is one form byte followed by the content of that form: the digits without
// trailing zeros as a varint, or as two varints if they need more than 64 bits, or the
// text. Each value has exactly one form, so that equal sums are equal bytes.
const (
	formDecimals = 0x1f // how many of the digits are decimals
	formNegative = 0x20
	formWide     = 0x40 // digits in two varints, the higher one first
	formText     = 0x80 // too long for both: the length and the decimal
)

// AppendBinary appends the exact sum in a form that [Sum.AddBinary] reads.
func (s *Sum) AppendBinary(to []byte) []byte {
	high, low, negative, ok := s.size()
	if !ok {
		text := s.String()
		return append(binary.AppendUvarint(append(to, formText), uint64(len(text))), text...)
	}
	whole, fraction := bits.Div64(high, low, pow10[MostDecimals])
	decimals := uint8(MostDecimals)
	for decimals > 0 && fraction%10 == 0 {
		fraction /= 10
		decimals--
	}
	high, low = bits.Mul64(whole, pow10[decimals])
	low, carry := bits.Add64(low, fraction, 0)
	high += carry
	form := decimals
	if negative {
		form |= formNegative
	}
	if high == 0 {
		return binary.AppendUvarint(append(to, form), low)
	}
	return binary.AppendUvarint(binary.AppendUvarint(append(to, form|formWide), high), low)
}

// size returns the absolute value of the sum in units; ok is false if its whole part needs
// more than 64 bits, or if it is no whole number of units.
func (s *Sum) size() (high, low uint64, negative, ok bool) {
	if s.rest != nil {
		total := s.total()
		negative = total.Sign() < 0
		shifted := total.Abs().Shift(MostDecimals)
		units := shifted.BigInt()
		if !shifted.IsInteger() || units.BitLen() > 128 {
			return 0, 0, negative, false
		}
		low = new(big.Int).And(units, new(big.Int).SetUint64(1<<64-1)).Uint64()
		high = units.Rsh(units, 64).Uint64()
		return high, low, negative, high < pow10[MostDecimals]
	}
	high, low = uint64(s.high), s.low
	if negative = s.high < 0; negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high = -high - borrow
	}
	return high, low, negative, high < pow10[MostDecimals]
}

// AddBinary adds the sum at the beginning of a text and returns the rest. If the text does
// not begin with a sum, ok is false and nothing is added.
func (s *Sum) AddBinary(text string) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	form := text[0]
	if form == formText {
		return s.addText(text[1:])
	}
	var wide uint64
	rest = text[1:]
	if form&formWide != 0 {
		if wide, rest, ok = Uvarint(rest); !ok {
			return "", false
		}
	}
	digits, rest, ok := Uvarint(rest)
	decimals := form & formDecimals
	if !ok || decimals > MostDecimals || form&formText != 0 {
		return "", false
	}
	over, above := bits.Mul64(wide, pow10[MostDecimals-decimals])
	high, low := bits.Mul64(digits, pow10[MostDecimals-decimals])
	high, carry := bits.Add64(high, above, 0)
	if over+carry != 0 || high >= pow10[MostDecimals] {
		return "", false
	}
	s.addUnits(high, low, form&formNegative != 0)
	return rest, true
}

func (s *Sum) addText(text string) (rest string, ok bool) {
	length, rest, ok := Uvarint(text)
	if !ok || length == 0 || length > uint64(len(rest)) || !s.Add(Number(rest[:length])) {
		return "", false
	}
	return rest[length:], true
}

// SkipBinary skips the sum at the beginning of a text, which [Sum.AddBinary] would add, and
// returns the rest.
func SkipBinary(text string) (rest string, ok bool) {
	if text == "" {
		return "", false
	}
	form, rest := text[0], text[1:]
	if form&formWide != 0 {
		if _, rest, ok = Uvarint(rest); !ok {
			return "", false
		}
	}
	n, rest, ok := Uvarint(rest)
	if !ok || form != formText {
		return rest, ok
	}
	if n > uint64(len(rest)) {
		return "", false
	}
	return rest[n:], true
}

// Uvarint reads the varint at the beginning of a text, like [binary.Uvarint], and returns
// the rest.
func Uvarint(text string) (n uint64, rest string, ok bool) {
	for i := 0; i < len(text) && i < binary.MaxVarintLen64; i++ {
		b := text[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return n, text[i+1:], i < binary.MaxVarintLen64-1 || b <= 1
		}
	}
	return 0, "", false
}
