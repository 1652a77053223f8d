package export

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Exact decimals are whole numbers of units of 10^-18 in 128 bits: 20 digits before the point
// and 18 after it, as many as a [affiliate.Number] may have.
const (
	decimalDigits = 38
	decimalBytes  = 16
)

var mostUnits = new(big.Int).Exp(big.NewInt(10), big.NewInt(decimalDigits), nil)

// decimalUnits returns a plain decimal in units of 10^-18, big-endian in two's complement. A
// decimal that they cannot hold exactly is an error: nothing is ever rounded.
func decimalUnits(text string) (b [decimalBytes]byte, err error) {
	if len(text) > 1+decimalDigits+1 {
		return b, fmt.Errorf("%.50q has more digits than a decimal of %d with %d after the point", text, decimalDigits, affiliate.MostDecimals)
	}
	n, err := decimal.NewFromString(text)
	if err != nil || strings.ContainsAny(text, "eE+") {
		return b, fmt.Errorf("%.50q is not a decimal", text)
	}
	shifted := n.Shift(affiliate.MostDecimals)
	units := shifted.BigInt()
	if !shifted.IsInteger() || units.CmpAbs(mostUnits) >= 0 {
		return b, fmt.Errorf("%q has more digits than a decimal of %d with %d after the point", text, decimalDigits, affiliate.MostDecimals)
	}
	if units.Sign() >= 0 {
		units.FillBytes(b[:])
		return b, nil
	}
	// −n is the complement of n−1.
	units.Neg(units).Sub(units, big.NewInt(1)).FillBytes(b[:])
	for i := range b {
		b[i] = ^b[i]
	}
	return b, nil
}
