package estimate

import (
	"math"
	"time"

	"gonum.org/v1/gonum/floats"

	"rebatedesk/affiliate"
)

// The constants of the method. They were chosen on programmes other than those of the tests;
// docs/forecast.md says how.
const (
	halfLevel   = 14  // days after which a day counts half in the level
	halfWeekday = 56  // days after which a day counts half in the rhythm of its weekday
	evenWeeks   = 3   // weeks without any rhythm by which it is smoothed
	clipped     = 8   // times the usual day above which a day counts no further
	unclipped   = 14  // days before what is usual is known
	halfPast    = 120 // origins after which an error counts half
	widening    = 0.8 // how much of Student's widening for few windows is used
)

// origin is the state of the model at the beginning of a day.
type origin struct {
	level float64    // what an average day brings
	size  float64    // the same of absolute amounts: the scale of errors
	share [7]float64 // the rhythm by weekday, 1 on average
}

// ahead returns what a day is expected to bring, and the scale of its error.
func (o *origin) ahead(day affiliate.Day) (expected, size float64) {
	share := o.share[day.Weekday()]
	return o.level * share, o.size * share
}

// origins returns the model before each of the days and after the last one. Each knows only
// the days before it.
func origins(first affiliate.Day, amounts []float64) []origin {
	list := make([]origin, len(amounts)+1)
	var sum, size, weight float64 // decayed; weight counts average days
	var usual, weeks [7]float64   // decayed, by weekday
	fade, fadeWeekday := math.Exp2(-1.0/halfLevel), math.Exp2(-1.0/halfWeekday)
	for i := range list {
		now := &list[i]
		if now.share = shares(usual, weeks); weight > 0 {
			now.level, now.size = sum/weight, size/weight
		}
		if i == len(amounts) {
			break
		}
		amount, weekday := amounts[i], (first + affiliate.Day(i)).Weekday()
		if most := clipped * max(now.size, mean(usual, weeks)); i >= unclipped && most > 0 {
			amount = min(max(amount, -most), most)
		}
		sum, size, weight = sum*fade+amount, size*fade+math.Abs(amount), weight*fade+now.share[weekday]
		for d := range usual {
			usual[d] *= fadeWeekday
			weeks[d] *= fadeWeekday
		}
		usual[weekday] += math.Abs(amount)
		weeks[weekday]++
	}
	return list
}

// shares returns the rhythm: the mean of each weekday relative to that of all days.
func shares(sums, weeks [7]float64) (share [7]float64) {
	usual, total := mean(sums, weeks), 0.0
	for d := time.Sunday; d <= time.Saturday; d++ {
		if share[d] = 1; usual > 0 {
			share[d] = (sums[d]/usual + evenWeeks) / (weeks[d] + evenWeeks)
		}
		total += share[d]
	}
	for d := range share {
		share[d] *= 7 / total
	}
	return share
}

// mean returns the mean of all days, or 0 if there are none.
func mean(sums, days [7]float64) float64 {
	sum, n := floats.Sum(sums[:]), floats.Sum(days[:])
	if n == 0 {
		return 0
	}
	return sum / n
}
