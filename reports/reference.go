package reports

import (
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// reference is the compared period, read.
type reference struct {
	asked  bool
	known  bool // collected completely
	open   bool // the period that it is compared with is not over
	days   affiliate.Days
	cover  *coverer
	sums   []sums.DaySums
	totals map[affiliate.Coin]Totals
	valued Valuation
	series func(affiliate.Coin) DailySeries
}

// figure sets an amount beside its reference.
func (ref reference) figure(coin affiliate.Coin, now decimal.Decimal, of func(Totals) decimal.Decimal) Figure {
	return ref.beside(coin, now, of(ref.totals[coin]))
}

// volume sets the volume of all coins beside its reference. It has no coin.
func (ref reference) volume(now []Totals) Figure {
	return ref.beside("", volumeOf(now), volumeOf(slices.Collect(maps.Values(ref.totals))))
}

// beside sets an amount beside another of the compared period.
func (ref reference) beside(coin affiliate.Coin, now, before decimal.Decimal) Figure {
	f := Figure{Amount: affiliate.Amount{Value: now, Coin: coin}, Change: ref.change(now, before)}
	if ref.known {
		f.Reference = affiliate.Amount{Value: before, Coin: coin}
	}
	return f
}

// change compares, as far as there is anything to compare with.
func (ref reference) change(now, before decimal.Decimal) Change {
	switch {
	case !ref.asked:
		return Change{Kind: ChangeNone}
	case !ref.known:
		return Change{Kind: ChangeUnknown}
	}
	change := changeOf(now, before)
	change.Open = ref.open
	return change
}

// line adds the compared period to a series, day by day.
func (ref reference) line(series *DailySeries) {
	if !ref.asked {
		return
	}
	series.compare(ref.series(series.Coin))
}
