package rates

import (
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// rate is a fraction of fees: units·10^-digits. Equal rates have equal values, as no rate has
// zeros at its end.
type rate struct {
	units  int64
	digits uint8
}

// foundDigits is the number of decimals of a rate that is found by dividing.
const foundDigits = 4

var tens = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

func rateOf(d decimal.Decimal) (rate, bool) {
	r := rate{digits: uint8(max(-d.Exponent(), 0))}
	if -d.Exponent() > 18 || d.Exponent() > 0 && !d.IsZero() || d.NumDigits() > 18 {
		return rate{}, false
	}
	r.units = d.Shift(int32(r.digits)).IntPart()
	for r.digits > 0 && r.units%10 == 0 {
		r.units, r.digits = r.units/10, r.digits-1
	}
	return r, true
}

// stated returns the rate that the exchange gives with a record.
func stated(n affiliate.Number) (rate, bool) {
	if !n.Known() || strings.HasPrefix(string(n), "-") || len(n) > 19 {
		return rate{}, false
	}
	return rateOf(n.Decimal())
}

// Decimal returns the rate as a fraction.
func (r rate) Decimal() decimal.Decimal { return decimal.New(r.units, -int32(r.digits)) }

// off returns commission − fee × rate, times 10^digits of the rate.
func (r rate) off(fee, commission affiliate.Sum) affiliate.Sum {
	due := fee.Times(r.units)
	off := commission.Times(tens[r.digits])
	off.AddSum(due.Negated())
	return off
}

// fits reports whether records with these sums can all have been paid at the rate: the
// difference of each is less than a unit of the last digit that the exchange gives.
func (r rate) fits(fee, commission affiliate.Sum, records int64, unit affiliate.Sum) bool {
	off := r.off(fee, commission)
	var zero affiliate.Sum
	switch off.Cmp(&zero) {
	case 0:
		return true
	case -1:
		off = off.Negated()
	}
	most := unit.Times(records).Times(tens[r.digits])
	return off.Cmp(&most) < 0
}

// found returns the rate with few decimals that fits, or the nearest one and false.
func found(fee, commission affiliate.Sum, records int64, unit affiliate.Sum) (r rate, fits bool) {
	for _, digits := range []int32{foundDigits, foundDigits + 2} {
		next, ok := rateOf(commission.Decimal().DivRound(fee.Decimal(), digits))
		if !ok {
			continue
		}
		if next.fits(fee, commission, records, unit) {
			return next, true
		}
		if digits == foundDigits {
			r = next
		}
	}
	return r, false
}

// tells reports whether fees are high enough to tell rates apart that differ in the last of
// foundDigits.
func tells(fee affiliate.Sum, records int64, unit affiliate.Sum) bool {
	least := unit.Times(records).Times(2 * tens[foundDigits])
	return fee.Cmp(&least) >= 0
}

// Decimals of the last digit that the exchange gives, by which commissions may be rounded:
// those that occur, but within these limits.
const (
	fewestDigits = 6
	mostDigits   = 8
)

// unitOf returns the unit of a last digit.
func unitOf(digits int32) (unit affiliate.Sum) {
	unit.AddUnits(1, uint8(min(max(digits, fewestDigits), mostDigits)))
	return unit
}
