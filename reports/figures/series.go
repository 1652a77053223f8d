package figures

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/annotations"
	"rebatedesk/store/sums"
)

// DailySeries is commission per reporting day in one coin, split into parts
// that stack: by product or by source.
type DailySeries struct {
	Of        string         // what it is; empty = "Commission"
	Coin      affiliate.Coin // empty: the exchange gives no unit
	By        string         // the split, if there is a choice: a name of [Splits]
	Days      []affiliate.Day
	Parts     []SeriesPart
	Total     []decimal.Decimal
	State     []coverage.DayState // per day, how far it is collected
	Reference []decimal.Decimal   // the compared period day by day; nil without comparison
	RefDays   []affiliate.Day
	RefKnown  []bool // per day of Reference: collected completely

	Annotations []annotations.Annotation // on days of the series, by day
}

// SeriesPart is one layer of the stack.
type SeriesPart struct {
	Name   string
	Values []decimal.Decimal // one per day
}

// SeriesOf arranges sums of one coin by day and by product or source.
func SeriesOf(days affiliate.Days, coin affiliate.Coin, totals []sums.DaySums, c *coverage.Map, by string) DailySeries {
	n := days.Len()
	series := DailySeries{Coin: coin, Days: make([]affiliate.Day, n), State: make([]coverage.DayState, n)}
	for i := range n {
		series.Days[i] = days.First + affiliate.Day(i)
		series.State[i] = c.State(series.Days[i])
	}
	layers := map[string][]decimal.Decimal{}
	series.Total = make([]decimal.Decimal, n)
	for _, d := range totals {
		if d.Coin != coin {
			continue
		}
		name := splitName(by, d)
		values := layers[name]
		if values == nil {
			values = make([]decimal.Decimal, n)
			layers[name] = values
		}
		i := int(d.Day - days.First)
		amount := d.Commission.Decimal()
		values[i] = values[i].Add(amount)
		series.Total[i] = series.Total[i].Add(amount)
	}
	for _, name := range sortedNames(layers, splitOrder(by)) {
		series.Parts = append(series.Parts, SeriesPart{Name: splitLabel(by, name), Values: layers[name]})
	}
	return series
}

// sortedNames lists the names: the known ones in their order, then others.
func sortedNames(layers map[string][]decimal.Decimal, known []string) []string {
	rank := func(name string) int {
		if i := slices.Index(known, name); i >= 0 {
			return i
		}
		return len(known)
	}
	return slices.SortedFunc(maps.Keys(layers), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// Compare adds the series of the compared period, day by day.
func (series *DailySeries) Compare(before DailySeries) {
	series.Reference, series.RefDays = before.Total, before.Days
	series.RefKnown = make([]bool, len(before.State))
	for i, state := range before.State {
		series.RefKnown[i] = state == coverage.DayCollected
	}
}
