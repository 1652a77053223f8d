package totals

import (
	"math"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"
)

// The size of a sparkline, in its own units: it is scaled to any size.
const (
	sparkWidth, sparkHeight = 96, 20
	sparkPoints             = 48 // more points could not be distinguished
)

// spark draws the outline of a trend. Longer ranges are summed into as many points as
// can be distinguished; the line is interrupted at unknown values.
func spark(t figures.Trend) string {
	values, seen := squeezed(t)
	points := make([]float64, len(values)) // they become pixels
	low, high := 0.0, 0.0
	for i, v := range values {
		points[i] = v.InexactFloat64()
		low, high = min(low, points[i]), max(high, points[i])
	}
	path := make([]byte, 0, len(points)*len("L00 00.0"))
	drawing := false
	for i, v := range points {
		if !seen[i] {
			drawing = false
			continue
		}
		y := float64(sparkHeight - 2)
		if high > low {
			y -= (v - low) * (sparkHeight - 4) / (high - low)
		}
		at := strconv.AppendInt(nil, int64(sparkWidth*(2*i+1)/(2*len(points))), 10)
		at = strconv.AppendFloat(append(at, ' '), math.Round(y*10)/10, 'f', -1, 64)
		if !drawing {
			path = append(append(append(path, 'M'), at...), "h0"...) // a single point is a dot
		}
		path = append(append(path, 'L'), at...)
		drawing = true
	}
	return string(path)
}

// known counts the days of which the amount is known.
func known(t figures.Trend) (n int) {
	for _, ok := range t.Known {
		if ok {
			n++
		}
	}
	return n
}

func squeezed(t figures.Trend) (values []decimal.Decimal, seen []bool) {
	n := min(len(t.Values), sparkPoints)
	values, seen = make([]decimal.Decimal, n), make([]bool, n)
	for i, v := range t.Values {
		at := i * n / len(t.Values)
		values[at] = values[at].Add(v)
		seen[at] = seen[at] || t.Known[i]
	}
	return values, seen
}

// sparkWords describes a trend in words: on how many days there was anything, the first, the
// last and the highest of them. verb is what happened, such as "Paid".
func sparkWords(t figures.Trend, verb string) string {
	first, last, best, days, unread := -1, -1, -1, 0, 0
	for i, v := range t.Values {
		if !t.Known[i] {
			unread++
		} else if !v.IsZero() {
			days++
			if last = i; first < 0 {
				first = i
			}
			if best < 0 || v.GreaterThan(t.Values[best]) {
				best = i
			}
		}
	}
	if best < 0 {
		return "Nothing " + phrase.Lowered(verb) + " on any collected day"
	}
	on := func(i int) string {
		amount := ui.Volume(t.Values[i])
		if t.Coin != "" {
			amount = affiliate.Amount{Value: t.Values[i], Coin: t.Coin}.String()
		}
		return (t.Days.First + affiliate.Day(i)).Format("2 Jan 2006") + ": " + amount
	}
	words := verb + " on " + phrase.Things(days, "day") + " of " + phrase.Count(len(t.Values)) + "; highest on " + on(best)
	if days > 1 {
		words += ", first on " + on(first) + ", last on " + on(last)
	}
	if unread > 0 {
		words += "; " + phrase.Things(unread, "day") + " not collected or not over"
	}
	return words
}
