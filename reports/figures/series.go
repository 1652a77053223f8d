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

// DailySeries is commission per reporting day in one coin, or another figure of commission
// records, split into parts that stack: by product or by source. The points of a series of a
// single day can be its hours.
type DailySeries struct {
	Of        string         // what it is; empty = "Commission"
	Coin      affiliate.Coin // empty: the exchange gives no unit
	Unit      string         // instead of a coin, e.g. "≈ quote currency"
	By        string         // the split, if there is a choice: a name of [Splits]
	Days      []affiliate.Day
	Hours     []affiliate.Range // of each point, in the reporting zone; nil: the points are days
	RefHours  []affiliate.Range // of each point of Reference; nil: those are days
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

// SeriesOf arranges commission of one coin, or what else the metric says, by day and by product
// or source.
func SeriesOf(days affiliate.Days, coin affiliate.Coin, totals []sums.DaySums, c *coverage.Map, by, metric string) DailySeries {
	series := DailySeries{}
	for day := days.First; day <= days.Last; day++ {
		series.Days, series.State = append(series.Days, day), append(series.State, c.State(day))
	}
	series.fill(coin, totals, func(i int) int { return int(totals[i].Day - days.First) }, by, metric)
	return series
}

// HoursOf is [SeriesOf] for the hours of a day.
func HoursOf(day affiliate.Day, hours []affiliate.Range, coin affiliate.Coin, totals []sums.ClockSums, c *coverage.Map, by, metric string) DailySeries {
	series := DailySeries{Hours: hours}
	for _, hour := range hours {
		series.Days, series.State = append(series.Days, day), append(series.State, c.HourState(hour))
	}
	list := make([]sums.DaySums, len(totals))
	for i := range totals {
		list[i] = totals[i].DaySums
	}
	series.fill(coin, list, func(i int) int { return totals[i].Hour }, by, metric)
	return series
}

// fill adds up the sums by the points of the series, of which at returns the number.
func (series *DailySeries) fill(coin affiliate.Coin, totals []sums.DaySums, at func(i int) int, by, metric string) {
	n := len(series.Days)
	m, ok := affiliate.MetricOf(metric)
	if !ok { // a figure of people, whose chart is another one
		m = affiliate.Metrics[0]
	}
	if m.Name != ShowCommission {
		series.Of = m.Title
	}
	everyCoin, places := m.Volume(), m.Places()
	if everyCoin {
		series.Unit = "≈ quote currency"
	} else {
		series.Coin = coin
	}
	layers := map[string][]decimal.Decimal{}
	series.Total = make([]decimal.Decimal, n)
	for number, d := range totals {
		if !everyCoin && d.Coin != coin {
			continue
		}
		name := splitName(by, d)
		values := layers[name]
		if values == nil {
			values = make([]decimal.Decimal, n)
			layers[name] = values
		}
		amounts, i := d.All(), at(number)
		for _, place := range places {
			amount := amounts[place].Decimal()
			values[i] = values[i].Add(amount)
			series.Total[i] = series.Total[i].Add(amount)
		}
	}
	for _, name := range sortedNames(layers, splitOrder(by)) {
		series.Parts = append(series.Parts, SeriesPart{Name: splitLabel(by, name), Values: layers[name]})
	}
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

// Compare adds the series of the compared period, point by point.
func (series *DailySeries) Compare(before DailySeries) {
	series.Reference, series.RefDays, series.RefHours = before.Total, before.Days, before.Hours
	series.RefKnown = make([]bool, len(before.State))
	for i, state := range before.State {
		series.RefKnown[i] = state == coverage.DayCollected
	}
}

// CompareHours adds the hours of the compared day, each beside the hour of the same time of day.
// Where clocks change, an hour of one of both days has no counterpart.
func (series *DailySeries) CompareHours(before DailySeries) {
	n := len(series.Hours)
	series.Reference, series.RefDays, series.RefHours = make([]decimal.Decimal, n), make([]affiliate.Day, n), make([]affiliate.Range, n)
	series.RefKnown = make([]bool, n)
	used := make([]bool, len(before.Hours))
	for i, hour := range series.Hours {
		at := slices.IndexFunc(before.Hours, func(h affiliate.Range) bool { return h.From.Format(clock) == hour.From.Format(clock) })
		if at >= 0 && used[at] && at+1 < len(before.Hours) && before.Hours[at+1].From.Format(clock) == hour.From.Format(clock) {
			at++ // the second one of the hour that clocks repeat
		}
		if at < 0 || used[at] {
			continue
		}
		used[at] = true
		series.Reference[i], series.RefDays[i], series.RefHours[i] = before.Total[at], before.Days[at], before.Hours[at]
		series.RefKnown[i] = before.State[at] == coverage.DayCollected
	}
}

// clock is a time of day.
const clock = "15:04"
