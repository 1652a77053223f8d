package ui

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/phrase"
)

// Volume prints a trading volume as [affiliate.Cents] does. The interface document names
// no unit for volumes (4.17), so no coin stands beside one.
func Volume(v decimal.Decimal) string { return affiliate.Cents(v) }

const (
	// Unitless is the caption of every volume: its unit is undocumented.
	Unitless = "≈ quote currency; the exchange does not document the unit"

	// VolumeWords stand beside the one total of volume.
	VolumeWords = "≈ quote currency, unit not documented · taker + maker of all coins’ records together"

	// VolumeLabel heads a column of volumes.
	VolumeLabel = "Volume ≈ quote"
)

// VolumeTitle is the exact value of a volume and what it is made of.
func VolumeTitle(v decimal.Decimal, what string) string {
	return v.String() + ": " + what + " " + Unitless
}

// unknownCodeWords says how many records a filter by invite code had to leave
// out.
func unknownCodeWords(n int64) string {
	if n == 1 {
		return "1 record of the range belongs to an invitee whose code is not known; it is not included."
	}
	return phrase.Count(n) + " records of the range belong to invitees whose code is not known; they are not included."
}

// UnknownCode is why the invite code of a record is not known.
const UnknownCode = "the exchange names none: the invitee registered without one or more than 365 days ago, or is not listed"

// Reasons for a commission that is not there.
const (
	NotThere = "there was no such record"
	GoneNow  = "the record is gone"
)

// kind is how a kind of restatement is called and explained.
type kind struct{ Name, Meaning, Class string }

func kindOf(k commissions.RestatementKind) kind {
	switch k {
	case commissions.RestatedNew:
		return kind{"new", "a record that was read with its day, when nobody had read the day before", "text-success border-success/40"}
	case commissions.RestatedLate:
		return kind{"late", "a record that was not there when its day was first read", "text-info border-info/40"}
	case commissions.RestatedChanged:
		return kind{"changed", "the same trade, with other amounts than before", "text-warning border-warning/40"}
	case commissions.RestatedRemoved:
		return kind{"removed", "a record that the exchange no longer gives", "text-error border-error/40"}
	case commissions.RestatedZeroed:
		return kind{"zeroed to nothing", "the same trade, and its commission is zero now", "text-error border-error/40"}
	}
	return kind{string(k), "", "border-line"}
}
