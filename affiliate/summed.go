package affiliate

import "slices"

// SummedFields are the fields that are added up, in the order of [Summed.All].
var SummedFields = func() (list Fields[Commission]) {
	var c Commission
	for _, amount := range c.Summed() {
		i := slices.IndexFunc(CommissionFields, func(f Field[Commission]) bool { return f.Target(&c) == any((*string)(amount)) })
		list = append(list, CommissionFields[i])
	}
	return list
}()

// MapSummed returns what of makes of each amount.
func MapSummed[A, B any](from *Summed[A], of func(*A) B) (to Summed[B]) {
	all := from.All()
	for i, value := range to.All() {
		*value = of(all[i])
	}
	return to
}

// AddNumbers adds numbers to sums. One that is unknown adds nothing.
func AddNumbers(to *Summed[Sum], numbers *Summed[Number]) {
	all := numbers.All()
	for i, sum := range to.All() {
		sum.Add(*all[i])
	}
}

// AddSums adds sums to others.
func AddSums(to, sums *Summed[Sum]) {
	all := sums.All()
	for i, sum := range to.All() {
		sum.AddSum(*all[i])
	}
}

// Targets returns what a row is scanned into that has the amounts behind other columns. It is no method,
// since each package that sees sums would compile it.
func Targets[T any](s *Summed[T], others ...any) []any {
	for _, amount := range s.All() {
		others = append(others, amount)
	}
	return others
}

// Metric is what is added up over commissions under one name.
type Metric struct {
	Name    string   // value of metric=, which programs send and which never changes
	Label   string   // among other figures
	Title   string   // by itself
	Columns []string // those of [SummedFields] that it adds up
}

// MetricOf returns the metric of a name, or false.
func MetricOf(name string) (Metric, bool) {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return Metrics[i], true
}

// MetricAt returns the metric that adds up an amount, of which place is the index in [Summed.All].
func MetricAt(place int) Metric {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return slices.Contains(m.Places(), place) })
	return Metrics[i]
}

// Places are the indexes of its amounts in [Summed.All].
func (m Metric) Places() (places []int) {
	for i, f := range SummedFields {
		if slices.Contains(m.Columns, f.Column) {
			places = append(places, i)
		}
	}
	return places
}

// Volume reports whether the metric is in about the quote currency: it has one sum over all coins, which
// is no amount of a coin.
func (m Metric) Volume() bool { return SummedFields[m.Places()[0]].Kind == VolumeField }

// BesideCommission are those of [Metrics] that are amounts of a coin too. Each adds up one column.
var BesideCommission = slices.DeleteFunc(slices.Clone(Metrics[1:]), Metric.Volume)
