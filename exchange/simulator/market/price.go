package market

import (
	"math"
	"sort"

	"github.com/shopspring/decimal"
)

// line is the price of one thing in another as a function of time, in whole
// ticks. It is given at each full minute and straight in between, so that
// highs, lows and crossings are exact however rarely anybody looks.
type line struct {
	of, in   walk
	Decimals int32   // of a tick: 2 is 0.01
	basis    uint64  // key of the distance to the plain price
	distance float64 // by which it differs at most, as a fraction
}

// powers are those of ten, as far as prices have decimals.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// point is the price at a full minute.
func (l *line) point(minutes int64) int64 {
	price := l.of.dollars(minutes) / l.in.dollars(minutes)
	if l.distance > 0 {
		price *= 1 + l.distance*noise(l.basis, 0, minutes, 30)
	}
	return max(1, int64(math.Round(price*powers[l.Decimals])))
}

// between is the price within the minute that leads from one point to the
// next.
func between(from, to, at int64) int64 { return from + (to-from)*(at%minute)/minute }

// At is the price at an instant in ms.
func (l *line) At(at int64) int64 {
	return between(l.point(at/minute), l.point(at/minute+1), at)
}

// Decimal makes a price of ticks.
func (l *line) Decimal(ticks int64) decimal.Decimal { return decimal.New(ticks, -l.Decimals) }

// Text writes a price of ticks.
func (l *line) Text(ticks int64) string { return l.Decimal(ticks).StringFixed(l.Decimals) }

// span is what a price did within a stretch of time.
type span struct {
	Open, Close, High, Low int64 // ticks
	HighTime, LowTime      int64 // ms, the first such instant
}

// Span looks at [from, to]. A price is straight between the full minutes, so
// they and both ends are all that has to be looked at. each, where given,
// is told of every minute with the prices at its beginning and end.
func (l *line) Span(from, to int64, each func(minutes, from, to int64)) span {
	at := from / minute
	before, after := l.point(at), l.point(at+1)
	first := between(before, after, from)
	s := span{Open: first, High: first, Low: first, HighTime: from, LowTime: from}
	look := func(price, at int64) {
		if price > s.High {
			s.High, s.HighTime = price, at
		}
		if price < s.Low {
			s.Low, s.LowTime = price, at
		}
	}
	for ; ; at++ {
		if each != nil {
			each(at, before, after)
		}
		end := (at + 1) * minute
		if end > to {
			break
		}
		look(after, end)
		before, after = after, l.point(at+2)
	}
	s.Close = between(before, after, to)
	look(s.Close, to)
	return s
}

// Crossing is the first instant within [from, to] at which the price is at or
// beyond the limit: at most the limit where falling is set, else at least.
func (l *line) Crossing(from, to, limit int64, falling bool) (at int64, ok bool) {
	if from > to {
		return 0, false
	}
	reached := func(price int64) bool {
		if falling {
			return price <= limit
		}
		return price >= limit
	}
	minutes := from / minute
	before, after := l.point(minutes), l.point(minutes+1)
	for start := from; ; {
		end := min(to, (minutes+1)*minute-1)
		if reached(between(before, after, start)) {
			return start, true
		}
		if reached(between(before, after, end)) {
			// Straight means monotonous: the crossing is found by bisection.
			n := sort.Search(int(end-start), func(i int) bool { return reached(between(before, after, start+int64(i))) })
			return start + int64(n), true
		}
		if end == to {
			return 0, false
		}
		minutes++
		start = minutes * minute
		before, after = after, l.point(minutes+1)
	}
}
