package estimate

import (
	"math"
	"slices"

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
		e.Break, e.Young = f.changed.between(h), f.young
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

// future is an estimate by floats. Its slices have, for a number of days from the first, what
// they add up to, the scale of its error, and the bounds of the error on that scale.
type future struct {
	expected, scale, low, high []float64
	first, firstScale          float64 // of the first day alone
	origins                    int     // of the errors
	kept                       bool    // no day of the history is negative: amounts are never taken back
	young                      bool    // the level changed too short a time ago for a range
	changed                    *change // nil: the level did not change lately
}

// ahead estimates the days from skip to reach after the history: each with those before it,
// or only all of them.
func ahead(h PastDays, skip, reach int, daily bool) *future {
	h = h.last(mostDays)
	amounts := h.floats()
	r := rhythmOf(h.First, amounts, skip, reach)
	c := silence(amounts)
	if c == nil {
		c = r.changed(h.First, amounts, unlikely, mostSince)
	}
	of := amounts
	if c != nil && len(amounts)-c.at >= Needed(reach) && slices.ContainsFunc(amounts[c.at:], func(x float64) bool { return x != 0 }) {
		of = amounts[c.at:] // what was before no longer matters
	}
	first := h.Next() - affiliate.Day(len(of))
	var f *future
	if c != nil && len(of) == len(amounts) {
		f = r.since(h.First, amounts, c, skip, reach, daily)
	} else {
		f = rhythmOf(first, of, skip, reach).ahead(first, of, skip, reach, daily)
	}
	f.changed, f.kept = c, true
	for _, amount := range amounts {
		f.kept = f.kept && amount >= 0
	}
	return f
}

// errorOf is the error of one origin over the days from skip to reach.
type errorOf struct{ expected, scale, came float64 }

// rhythmOf returns the rhythm that came closer in the past: that of the days of the month only where it
// was clearly better than that of weekdays, in estimates of as many days.
func rhythmOf(first affiliate.Day, amounts []float64, skip, reach int) *rhythm {
	from := byMonth.least
	if len(amounts)-from < reach+leastOrigins {
		return byWeekday
	}
	off := func(r *rhythm) (sum float64) {
		models := r.origins(first, amounts)
		for i := from; i+reach <= len(amounts); i++ {
			e := r.errorOf(&models[i], first, amounts, i, skip, reach)
			sum += math.Abs(e.came-e.expected) * math.Exp2(-float64(len(amounts)-i)/halfPast)
		}
		return sum
	}
	if off(byMonth) < closer*off(byWeekday) {
		return byMonth
	}
	return byWeekday
}

// errorOf returns what an origin before day i expected, and what came.
func (r *rhythm) errorOf(o *origin, first affiliate.Day, amounts []float64, i, skip, reach int) (e errorOf) {
	for k := skip; k < reach; k++ {
		value, size := o.ahead(r, first+affiliate.Day(i+k))
		e.expected, e.scale, e.came = e.expected+value, e.scale+size, e.came+amounts[i+k]
	}
	return e
}

// ahead estimates by a rhythm.
func (r *rhythm) ahead(first affiliate.Day, amounts []float64, skip, reach int, daily bool) *future {
	f := &future{}
	models := r.origins(first, amounts)
	n, from := reach-skip, max(warmUp, r.least)
	errors := make([][]float64, n)
	wanted := func(k int) bool { return daily || k == n-1 }
	for i := from; i+reach <= len(amounts); i++ {
		var e errorOf
		for k := range n {
			value, size := models[i].ahead(r, first+affiliate.Day(i+skip+k))
			e.expected, e.scale, e.came = e.expected+value, e.scale+size, e.came+amounts[i+skip+k]
			if wanted(k) && e.scale > 0 {
				errors[k] = append(errors[k], (e.came-e.expected)/e.scale)
			}
		}
		f.origins++
	}
	now := models[len(amounts)]
	f.fill(n, wanted, func(k int) (value, size float64) {
		return now.ahead(r, first+affiliate.Day(len(amounts)+skip+k))
	}, func(k int) (low, high float64) { return bounds(errors[k], len(amounts)-from, skip+k+1) })
	return f
}

// fill adds up the days of an estimate.
func (f *future) fill(n int, wanted func(int) bool, day, bounds func(int) (float64, float64)) {
	var expected, scale float64
	for k := range n {
		value, size := day(k)
		if k == 0 {
			f.first, f.firstScale = value, size
		}
		if expected, scale = expected+value, scale+size; wanted(k) {
			low, high := bounds(k)
			f.expected, f.scale = append(f.expected, expected), append(f.scale, scale)
			f.low, f.high = append(f.low, low), append(f.high, high)
		}
	}
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
	if f.young {
		low, high = expected, expected
	}
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
