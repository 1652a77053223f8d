package reports

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Totals are the exact sums over a set of commission records of one coin.
type Totals struct {
	Coin        affiliate.Coin
	Records     int64
	Commission  decimal.Decimal
	Fee         decimal.Decimal
	TakerAmount decimal.Decimal
	MakerAmount decimal.Decimal
}

// Volume is the trading volume, taker and maker together.
func (t Totals) Volume() decimal.Decimal { return t.TakerAmount.Add(t.MakerAmount) }

// volumeOf is the volume of all totals. The coin of a record is that of its fee
// and commission, and no unit of its volume: the exchange names none. Volumes are
// about the quote currency of the pair, so that records of all coins have one sum.
func volumeOf(totals []Totals) decimal.Decimal {
	var sum decimal.Decimal
	for _, t := range totals {
		sum = sum.Add(t.Volume())
	}
	return sum
}

// Change is how a figure compares with its reference.
type Change struct {
	// Kind tells what can be said: "none" (no comparison asked), "unknown"
	// (the reference is not collected completely), "new" (growth from
	// zero), "same", "up", "down".
	Kind    ChangeKind
	Percent decimal.Decimal // of up and down: +12.5 or -3.1, see changePercent; zero where the reference is not above zero
	// Open tells that the range is not over while the compared period is: what
	// is down may still come up.
	Open bool
}

// ChangeKind is what can be said of a comparison.
type ChangeKind string

// The kinds of change.
const (
	ChangeNone    ChangeKind = "none"
	ChangeUnknown ChangeKind = "unknown"
	ChangeNew     ChangeKind = "new"
	ChangeSame    ChangeKind = "same"
	ChangeUp      ChangeKind = "up"
	ChangeDown    ChangeKind = "down"
)

// changeOf compares now with before, where before is fully known.
func changeOf(now, before decimal.Decimal) Change {
	switch now.Cmp(before) {
	case 0:
		return Change{Kind: ChangeSame}
	case 1:
		if !before.IsPositive() {
			return Change{Kind: ChangeNew}
		}
	case -1:
		if !before.IsPositive() {
			return Change{Kind: ChangeDown}
		}
	}
	percent := changePercent(now, before)
	if now.LessThan(before) {
		return Change{Kind: ChangeDown, Percent: percent}
	}
	return Change{Kind: ChangeUp, Percent: percent}
}

// Figure is an amount with its comparison.
type Figure struct {
	Amount    affiliate.Amount
	Reference affiliate.Amount // meaningful unless Change.Kind is none or unknown
	Change    Change
}

// Count is a number of people or records with its comparison.
type Count struct {
	N         int64
	Known     bool // false: cannot be told yet; shown as a dash with Reason
	AtLeast   bool // N are known, and there were more that can be counted no more, for Reason
	Reason    string
	Reference int64
	Change    Change
}
