package estimate

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"rebatedesk/affiliate"
)

// The constants of the method. They were chosen on programmes other than those of the tests;
// docs/method.md says how.
const (
	halfLevel   = 14  // days after which a day counts half in the level
	halfWeekday = 56  // days after which a day counts half in the rhythm of its weekday
	evenWeeks   = 3   // weeks without any rhythm by which it is smoothed
	halfMonth   = 240 // days after which a day counts half in the rhythm of its day of the month
	evenMonths  = 0.5 // months without any rhythm by which it is smoothed
	leastMonths = 92  // days before a rhythm by the day of the month is tried
	closer      = 0.8 // of the errors of the other rhythm, which the rhythm by month must not exceed to be used
	clipped     = 8   // times the usual day above which a day counts no further
	unclipped   = 14  // days before what is usual is known
	halfPast    = 120 // origins after which an error counts half
	widening    = 0.8 // how much of Student's widening for few windows is used
)

// origin is the state of the model at the beginning of a day.
type origin struct {
	level float64 // what an average day brings
	size  float64 // the same of absolute amounts: the scale of errors
	share []float64
}

// ahead returns what a day is expected to bring, and the scale of its error.
func (o *origin) ahead(r *rhythm, day affiliate.Day) (expected, size float64) {
	share := o.share[r.at(day)]
	return o.level * share, o.size * share
}

// rhythm is what days of one kind bring relative to the others: by weekday or by day of the month.
type rhythm struct {
	kinds int     // of days
	half  float64 // days after which a day counts half in the rhythm of its kind
	even  float64 // days of each kind without any rhythm by which it is smoothed
	least int     // days before it says anything
	at    func(affiliate.Day) int
}

var (
	byWeekday = &rhythm{kinds: 7, half: halfWeekday, even: evenWeeks, at: func(d affiliate.Day) int { return int(d.Weekday()) }}
	byMonth   = &rhythm{kinds: 31, half: halfMonth, even: evenMonths, least: leastMonths, at: func(d affiliate.Day) int {
		_, _, day := d.Date()
		return day - 1
	}}
)

// origins returns the model before each of the days and after the last one. Each knows only
// the days before it.
func (r *rhythm) origins(first affiliate.Day, amounts []float64) []origin {
	list := make([]origin, len(amounts)+1)
	var sum, size, weight float64                                     // decayed; weight counts average days
	usual, days := make([]float64, r.kinds), make([]float64, r.kinds) // decayed, by kind
	fade, fadeKind := math.Exp2(-1.0/halfLevel), math.Exp2(-1.0/r.half)
	shares := make([]float64, r.kinds*len(list))
	for i := range list {
		now := &list[i]
		now.share = shares[i*r.kinds : (i+1)*r.kinds]
		if r.shares(now.share, usual, days); weight > 0 {
			now.level, now.size = sum/weight, size/weight
		}
		if i == len(amounts) {
			break
		}
		amount, kind := amounts[i], r.at(first+affiliate.Day(i))
		if most := clipped * max(now.size, mean(usual, days)); i >= unclipped && most > 0 {
			amount = min(max(amount, -most), most)
		}
		sum, size, weight = sum*fade+amount, size*fade+math.Abs(amount), weight*fade+now.share[kind]
		for d := range usual {
			usual[d] *= fadeKind
			days[d] *= fadeKind
		}
		usual[kind] += math.Abs(amount)
		days[kind]++
	}
	return list
}

// shares fills in the rhythm: the mean of each kind of day relative to that of all days.
func (r *rhythm) shares(share, sums, days []float64) {
	usual, total := mean(sums, days), 0.0
	for d := range share {
		if share[d] = 1; usual > 0 {
			share[d] = (sums[d]/usual + r.even) / (days[d] + r.even)
		}
		total += share[d]
	}
	for d := range share {
		share[d] *= float64(r.kinds) / total
	}
}

// mean returns the mean of all days, or 0 if there are none.
func mean(sums, days []float64) float64 {
	sum, n := floats.Sum(sums), floats.Sum(days)
	if n == 0 {
		return 0
	}
	return sum / n
}
