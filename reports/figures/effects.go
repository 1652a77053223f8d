package figures

import "github.com/shopspring/decimal"

// Factors are what commission is made of, over some records of one coin. Commission is
// volume × fees per volume × commission per fee, so it changes only if one of the three does.
type Factors struct {
	Volume     decimal.Decimal // taker and maker amounts; its unit is not documented
	Fee        decimal.Decimal // in the coin of the commission
	Commission decimal.Decimal
}

// FactorsOf returns the factors of totals.
func FactorsOf(t Totals) Factors {
	return Factors{Volume: t.Volume(), Fee: t.Fee, Commission: t.Commission}
}

// Add returns the factors of both sets of records together.
func (f Factors) Add(o Factors) Factors {
	return Factors{Volume: f.Volume.Add(o.Volume), Fee: f.Fee.Add(o.Fee), Commission: f.Commission.Add(o.Commission)}
}

// FeePerVolume returns the fee as a fraction of the volume, or false without volume.
func (f Factors) FeePerVolume() (decimal.Decimal, bool) { return Fraction(f.Fee, f.Volume) }

// ShareOfFees returns the commission as a fraction of the fee, or false without a fee.
func (f Factors) ShareOfFees() (decimal.Decimal, bool) { return Fraction(f.Commission, f.Fee) }

// Effects divide a change in commission among its causes. They are amounts of one coin, and
// add up to the change exactly.
type Effects struct {
	Volume       decimal.Decimal // more or less was traded
	FeePerVolume decimal.Decimal // the same volume paid higher or lower fees
	ShareOfFees  decimal.Decimal // a larger or smaller part of the fees was passed on
	Rest         decimal.Decimal // what has no such cause, and what is lost by rounding
}

// Sum returns the whole change.
func (e Effects) Sum() decimal.Decimal {
	return e.Volume.Add(e.FeePerVolume).Add(e.ShareOfFees).Add(e.Rest)
}

// Add returns the effects on both sets of records together.
func (e Effects) Add(o Effects) Effects {
	return Effects{e.Volume.Add(o.Volume), e.FeePerVolume.Add(o.FeePerVolume), e.ShareOfFees.Add(o.ShareOfFees), e.Rest.Add(o.Rest)}
}

// EffectsOf divides the change from before to now. The factors change one after the other, in
// the order of multiplication: the volume first, at the former fees per volume and the former
// share of fees; then the fees, at the former share; then the share. With V, F and C for
// volume, fee and commission, 0 for before and 1 for now:
//
//	volume           C0·V1/V0 − C0
//	fees per volume  C0·F1/F0 − C0·V1/V0
//	share of fees    C1 − C0·F1/F0
//
// Each is rounded to [FractionDigits]; the rest is what the three lack. If there is no volume
// or no fee before or now, nothing can be divided: the whole change is the rest, and the second
// result is false.
func EffectsOf(before, now Factors) (Effects, bool) {
	change := now.Commission.Sub(before.Commission)
	if before.Volume.IsZero() || before.Fee.IsZero() || now.Volume.IsZero() || now.Fee.IsZero() {
		return Effects{Rest: change}, false
	}
	// Two more digits than the results have, so that rounding twice cannot be seen.
	byVolume := before.Commission.Mul(now.Volume).DivRound(before.Volume, FractionDigits+2)
	byFee := before.Commission.Mul(now.Fee).DivRound(before.Fee, FractionDigits+2)
	e := Effects{
		Volume:       byVolume.Sub(before.Commission).Round(FractionDigits),
		FeePerVolume: byFee.Sub(byVolume).Round(FractionDigits),
		ShareOfFees:  now.Commission.Sub(byFee).Round(FractionDigits),
	}
	e.Rest = change.Sub(e.Sum())
	return e, true
}
