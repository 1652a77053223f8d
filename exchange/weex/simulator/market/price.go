package market

import (
	"math"
	"sort"

	"github.com/shopspring/decimal"
)

// line is the price of one thing in another as a function of time, in whole ticks. It is
// defined at each full minute and linear in between, so that highs, lows and crossings are
// exact however rarely it is read.
type line struct {
	of, in   walk
	Decimals int32   // of a tick: 2 means 0.01
	basis    uint64  // key of the distance to the plain price
	distance float64 // the largest difference, as a fraction

	points *kept[int64] // prices at full minutes
}

// powers are the powers of ten, up to the decimals of prices.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// point returns the price at a full minute.
func (l *line) point(minutes int64) int64 {
	return l.points.get(minutes, func() int64 { return l.pointOf(minutes) })
}

func (l *line) pointOf(minutes int64) int64 {
	price := l.of.dollars(minutes) / l.in.dollars(minutes)
	if l.distance > 0 {
		price *= 1 + l.distance*noise(l.basis, 0, minutes, 30)
	}
	return max(1, int64(math.Round(price*powers[l.Decimals])))
}

// between returns the price within the minute between two points.
func between(from, to, at int64) int64 { return from + (to-from)*(at%minute)/minute }

// At returns the price at an instant in ms.
func (l *line) At(at int64) int64 {
	return between(l.point(at/minute), l.point(at/minute+1), at)
}

// Decimal converts ticks to a price.
func (l *line) Decimal(ticks int64) decimal.Decimal { return decimal.New(ticks, -l.Decimals) }

// Text writes a price given in ticks.
func (l *line) Text(ticks int64) string { return l.Decimal(ticks).StringFixed(l.Decimals) }

// span describes the price within a stretch of time.
type span struct {
	Open, Close, High, Low int64 // ticks
	HighTime, LowTime      int64 // ms, the first such instant
}

// Span describes the price within [from, to]. A price is linear between full minutes, so
// only those and both ends need to be examined. each, if given, is called for every minute
// with the prices at its beginning and end.
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

// Crossing returns the first instant within [from, to] at which the price has reached the
// limit: at or below it if falling is set, otherwise at or above it.
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
			// A linear price is monotonic, so the crossing is found by bisection.
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
