package estimate

import (
	"math"

	"github.com/shopspring/decimal"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"rebatedesk/affiliate"
)

// Make estimates the sum over some days from the history before them and what is known of
// the days since. Days of the span that precede the history count as nothing earned. If the
// history is too short, the error is a *[ShortError].
func Make(h PastDays, begun Begun, days affiliate.Days) (Estimate, error) {
	e, f, err := prepared(h, begun, days, false)
	if f != nil {
		end := f.point(0, days.Last, e.Earned)
		e.Expected, e.Low, e.High = end.Expected, end.Low, end.High
	}
	return e, err
}

// DayByDay returns, for each day that [Make] estimates, what the days up to it will have brought.
func DayByDay(h PastDays, begun Begun, days affiliate.Days) ([]EstimatedDay, error) {
	e, f, err := prepared(h, begun, days, true)
	if f == nil {
		return nil, err
	}
	path := make([]EstimatedDay, len(f.expected))
	for i := range path {
		path[i] = f.point(i, e.From+affiliate.Day(i), e.Earned)
	}
	return path, nil
}

// prepared returns what was earned, and the estimate of the days left, of which there are
// none if it is nil.
func prepared(h PastDays, begun Begun, days affiliate.Days, daily bool) (Estimate, *future, error) {
	e := Estimate{Days: days, Earned: h.Sum(days), From: max(days.First, h.Next())}
	if days.Contains(h.Next()) {
		e.Earned = e.Earned.Add(begun.Amount)
	}
	if h.Next() > days.Last {
		e.Expected, e.Low, e.High = e.Earned, e.Earned, e.Earned
		return e, nil, nil
	}
	reach := int(days.Last - h.Next() + 1)
	if need := Needed(reach); len(h.Amounts) < need {
		return e, nil, &ShortError{Have: len(h.Amounts), Need: need}
	}
	skip := int(e.From - h.Next()) // days before the span
	f := ahead(h, skip, reach, daily)
	if skip == 0 {
		f.read(begun.share())
	}
	e.Origins = f.origins
	return e, f, nil
}

// Spread returns the range in which an amount will lie that is expected over the next days,
// as uncertain as what the whole history brings in as many days. If the history is too short,
// the error is a *[ShortError].
func Spread(h PastDays, amount decimal.Decimal, days int) (low, high decimal.Decimal, err error) {
	if need := Needed(days); days < 1 || len(h.Amounts) < need {
		return amount, amount, &ShortError{Have: len(h.Amounts), Need: need}
	}
	whole := ahead(h, 0, days, false).point(0, 0, decimal.Zero)
	if !whole.Expected.IsPositive() {
		return amount, amount, nil
	}
	part := func(end decimal.Decimal) decimal.Decimal {
		return amount.Mul(decimal.Max(end, decimal.Zero)).DivRound(whole.Expected, placesOf(amount.InexactFloat64()))
	}
	return decimal.Min(part(whole.Low), amount), decimal.Max(part(whole.High), amount), nil
}

// future is an estimate by floats. Its slices have, for a number of days from the first, what
// they add up to, the scale of its error, and the bounds of the error on that scale.
type future struct {
	expected, scale, low, high []float64
	first, firstScale          float64 // of the first day alone
	origins                    int     // of the errors
	kept                       bool    // no day of the history is negative: amounts are never taken back
}

// ahead estimates the days from skip to reach after the history: each with those before it,
// or only all of them.
func ahead(h PastDays, skip, reach int, daily bool) *future {
	h.First += affiliate.Day(max(0, len(h.Amounts)-mostDays))
	h.Amounts = h.Amounts[max(0, len(h.Amounts)-mostDays):]
	amounts := make([]float64, len(h.Amounts))
	f := &future{kept: true}
	for i, amount := range h.Amounts {
		amounts[i] = amount.InexactFloat64()
		f.kept = f.kept && amounts[i] >= 0
	}
	models := origins(h.First, amounts)
	n := reach - skip
	errors := make([][]float64, n)
	wanted := func(k int) bool { return daily || k == n-1 }
	for i := warmUp; i+reach <= len(amounts); i++ {
		var expected, scale, came float64
		for k := range n {
			at := i + skip + k
			value, size := models[i].ahead(h.First + affiliate.Day(at))
			expected, scale, came = expected+value, scale+size, came+amounts[at]
			if wanted(k) && scale > 0 {
				errors[k] = append(errors[k], (came-expected)/scale)
			}
		}
		f.origins++
	}
	now := models[len(amounts)]
	var expected, scale float64
	for k := range n {
		value, size := now.ahead(h.Next() + affiliate.Day(skip+k))
		if k == 0 {
			f.first, f.firstScale = value, size
		}
		if expected, scale = expected+value, scale+size; wanted(k) {
			low, high := bounds(errors[k], len(amounts)-warmUp, skip+k+1)
			f.expected, f.scale = append(f.expected, expected), append(f.scale, scale)
			f.low, f.high = append(f.low, low), append(f.high, high)
		}
	}
	return f
}

// bounds returns those between which the next of some errors lies in 80 % of all
// cases. The errors are of overlapping windows of days, so they say as little as the few
// windows that do not overlap: with few of them the bounds are wider, as those of Student's
// distribution are.
func bounds(errors []float64, days, window int) (low, high float64) {
	if len(errors) == 0 {
		return 0, 0
	}
	weights := make([]float64, len(errors))
	for i := range errors {
		weights[i] = math.Exp2(-float64(len(errors)-1-i) / halfPast)
	}
	stat.SortWeighted(errors, weights)
	apart := min(max(1.5, float64(days)/float64(window)), float64(len(errors)))
	middle := stat.Quantile(0.5, stat.LinInterp, errors, weights)
	factor := 1 + widening*(student(apart)-1)
	low = middle + factor*(stat.Quantile(0.1, stat.LinInterp, errors, weights)-middle)
	high = middle + factor*(stat.Quantile(0.9, stat.LinInterp, errors, weights)-middle)
	return min(low, 0), max(high, 0)
}

// student returns how much wider the range of the next value is if its spread is known from a
// number of values only.
func student(values float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, values-1)}.Quantile(0.9)
	return t / distuv.UnitNormal.Quantile(0.9) * math.Sqrt(1+1/values)
}

// read takes off a share of the first day that is read already. Errors shrink as those of
// sums of fewer independent parts do: by the root.
func (f *future) read(share float64) {
	for i, scale := range f.scale {
		f.expected[i] -= share * f.first
		if scale > 0 {
			f.scale[i] = scale * math.Sqrt(max(0, scale-share*f.firstScale)/scale)
		}
	}
}

// point returns the estimate at index i, up to a day, added to what was earned.
func (f *future) point(i int, day affiliate.Day, earned decimal.Decimal) EstimatedDay {
	expected := f.expected[i]
	low, high := expected+f.low[i]*f.scale[i], expected+f.high[i]*f.scale[i]
	places := placesOf(max(math.Abs(earned.InexactFloat64()+expected), high-low))
	sum := func(left float64) decimal.Decimal {
		total := earned.Add(decimal.NewFromFloat(left)).Round(places)
		if f.kept {
			return decimal.Max(total, earned)
		}
		return total
	}
	return EstimatedDay{Day: day, Expected: sum(expected), Low: sum(low), High: sum(high)}
}

// placesOf returns the decimals with which an estimate of some size is given: six digits in
// all, and no cents of cents.
func placesOf(size float64) int32 {
	if size == 0 || math.IsInf(size, 0) || math.IsNaN(size) {
		return 0
	}
	return max(0, 5-int32(math.Floor(math.Log10(size))))
}
