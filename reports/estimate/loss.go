package estimate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/shopspring/decimal"
	"gonum.org/v1/gonum/stat"
)

// Absence is someone who has not traded for longer than usual, at the beginning of a period.
type Absence struct {
	Silent   int             // days since the last trade
	HalfDays int             // the usual gap between trades, in half days; positive
	Usual    decimal.Decimal // what it used to bring in such a period; positive
}

// PastAbsence is an absence of the past, with what came in the period.
type PastAbsence struct {
	Absence
	Came   decimal.Decimal
	Origin int // of the period: periods with greater numbers begin after it has ended
}

// Loss estimates how much commission inactive invitees will no longer bring in the next period.
type Loss struct {
	Expected, Low, High decimal.Decimal // the range holds in [Level] of all cases
	Cases, Origins      int             // of the past
}

// FewError says that the past has too few absences for an estimate.
type FewError struct{ Cases, Origins int }

func (e *FewError) Error() string {
	return fmt.Sprintf("%d earlier absences in %d months are known, and this estimate needs %d in %d", e.Cases, e.Origins, LeastCases, LeastPeriods)
}

// What an estimate of a loss needs.
const (
	LeastCases   = 30 // absences of the past
	LeastPeriods = 3  // in which they were
)

const (
	alike     = 60    // absences of the past that one is compared with
	mostDraws = 2_000 // of the losses of all
	leastDraw = 200
	// samePeriod is how often a draw is made again if it is of another period than the one
	// chosen for all: what happens in a period happens to many at once.
	samePeriod = 8
	drawWork   = 2_000_000 // draws times people
)

// Lose estimates a loss from what became of those who were about as silent at earlier times,
// measured by their usual gaps. For each person it draws one of them at random, always the same
// way and mostly of the same period, and adds up what they lost; the range is that of many such
// sums. With too few outcomes the error is a *[FewError].
func Lose(past []PastAbsence, now []Absence) (Loss, error) {
	known := newOutcomes(past)
	l := Loss{Cases: len(known.list), Origins: len(known.origins)}
	if l.Cases < LeastCases || l.Origins < LeastPeriods {
		return l, &FewError{Cases: l.Cases, Origins: l.Origins}
	}
	expected, low, high := known.loss(now)
	all := 0.0
	for _, one := range now {
		all += one.Usual.InexactFloat64()
	}
	places := placesOf(all)
	rounded := func(n float64) decimal.Decimal { return decimal.NewFromFloat(n).Round(places) }
	l.Expected, l.Low, l.High = rounded(expected), rounded(low), rounded(high)
	return l, nil
}

// LossHits tests the estimate on the past: for each period with enough outcomes before it, it
// estimates the loss of those who were absent then. hits counts the periods in which the loss
// was in the range.
func LossHits(past []PastAbsence) (tested, hits int) {
	byOrigin := map[int][]PastAbsence{}
	var origins []int
	for _, o := range past {
		if byOrigin[o.Origin] == nil {
			origins = append(origins, o.Origin)
		}
		byOrigin[o.Origin] = append(byOrigin[o.Origin], o)
	}
	slices.Sort(origins)
	var before []PastAbsence
	for _, origin := range origins {
		known := newOutcomes(before)
		if len(known.list) >= LeastCases && len(known.origins) >= LeastPeriods {
			var now []Absence
			var lost float64
			for _, o := range byOrigin[origin] {
				now = append(now, o.Absence)
				lost += o.lost() * o.Usual.InexactFloat64()
			}
			_, low, high := known.loss(now)
			tested++
			slack := 1e-9 * high
			if lost >= low-slack && lost <= high+slack {
				hits++
			}
		}
		before = append(before, byOrigin[origin]...)
	}
	return tested, hits
}

// lost returns the share of the usual amount that did not come.
func (o PastAbsence) lost() float64 {
	return min(1, max(0, 1-o.Came.InexactFloat64()/o.Usual.InexactFloat64()))
}

// gaps returns for how many usual gaps someone has been silent, as a logarithm.
func (a Absence) gaps() float64 {
	return math.Log(2 * float64(max(1, a.Silent)) / float64(max(1, a.HalfDays)))
}

// outcomes are those of the past, from the least silent to the most.
type outcomes struct {
	list    []outcome
	origins []int // periods
}

type outcome struct {
	gaps, lost float64
	origin     int
}

func newOutcomes(past []PastAbsence) (o outcomes) {
	for _, one := range past {
		o.list = append(o.list, outcome{one.gaps(), one.lost(), one.Origin})
		if !slices.Contains(o.origins, one.Origin) {
			o.origins = append(o.origins, one.Origin)
		}
	}
	slices.SortStableFunc(o.list, func(a, b outcome) int { return cmp.Compare(a.gaps, b.gaps) })
	return o
}

// alike returns the outcomes of those who were about as silent.
func (o outcomes) alike(gaps float64) []outcome {
	n := min(alike, len(o.list))
	from, _ := slices.BinarySearchFunc(o.list, gaps, func(one outcome, gaps float64) int { return cmp.Compare(one.gaps, gaps) })
	from = min(max(0, from-n/2), len(o.list)-n)
	for from > 0 && gaps-o.list[from-1].gaps < o.list[from+n-1].gaps-gaps {
		from--
	}
	for from+n < len(o.list) && o.list[from+n].gaps-gaps < gaps-o.list[from].gaps {
		from++
	}
	return o.list[from : from+n]
}

// loss returns the expected loss and its range.
func (o outcomes) loss(now []Absence) (expected, low, high float64) {
	if len(now) == 0 {
		return 0, 0, 0
	}
	usual, like := make([]float64, len(now)), make([][]outcome, len(now))
	for i, one := range now {
		usual[i], like[i] = one.Usual.InexactFloat64(), o.alike(one.gaps())
		mean := 0.0
		for _, past := range like[i] {
			mean += past.lost / float64(len(like[i]))
		}
		expected += usual[i] * mean
	}
	random := rand.New(rand.NewPCG(80, uint64(len(now))))
	sums := make([]float64, min(mostDraws, max(leastDraw, drawWork/len(now))))
	for d := range sums {
		period := o.origins[random.IntN(len(o.origins))]
		for i, amount := range usual {
			one := like[i][random.IntN(len(like[i]))]
			for try := 0; one.origin != period && try < samePeriod; try++ {
				one = like[i][random.IntN(len(like[i]))]
			}
			sums[d] += amount * one.lost
		}
	}
	slices.Sort(sums)
	low, high = stat.Quantile(0.1, stat.LinInterp, sums, nil), stat.Quantile(0.9, stat.LinInterp, sums, nil)
	return expected, min(low, expected), max(high, expected)
}
