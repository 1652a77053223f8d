package figures

import (
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/sums"
)

// Reference holds the figures of the compared period.
type Reference struct {
	Asked  bool
	Known  bool // collected completely
	Open   bool // the query's own period is not over
	Days   affiliate.Days
	Cover  *coverage.Map
	Sums   []sums.DaySums
	Totals map[affiliate.Coin]Totals
	Valued Valuation
	Series func(affiliate.Coin) DailySeries
}

// Volume compares the volume of all coins with its reference. The result has no coin.
func (ref Reference) Volume(now []Totals) Figure {
	return ref.beside("", VolumeOf(now), VolumeOf(slices.Collect(maps.Values(ref.Totals))))
}

// beside compares an amount with one of the compared period.
func (ref Reference) beside(coin affiliate.Coin, now, before decimal.Decimal) Figure {
	f := Figure{Amount: affiliate.Amount{Value: now, Coin: coin}, Change: ref.Change(coin, now, before)}
	if ref.Known {
		f.Reference = affiliate.Amount{Value: before, Coin: coin}
	}
	return f
}

// Change compares two amounts as [ChangeOf] does, if the reference is known.
func (ref Reference) Change(coin affiliate.Coin, now, before decimal.Decimal) Change {
	switch {
	case !ref.Asked:
		return Change{Kind: ChangeNone}
	case !ref.Known:
		return Change{Kind: ChangeUnknown}
	}
	change := ChangeOf(coin, now, before)
	change.Open = ref.Open
	return change
}

// Line adds the compared period to a series, day by day.
func (ref Reference) Line(series *DailySeries) {
	if !ref.Asked {
		return
	}
	series.Compare(ref.Series(series.Coin))
}
