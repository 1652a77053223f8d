package still

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// Daily draws commission per day, or per week for long ranges.
func Daily(d figures.DailySeries) Chart {
	c := ColumnsOf(d)
	if len(c.Days) == 0 {
		return Chart{}
	}
	var s Chart
	low, high := c.reach()
	on := s.FromZero(0, Side, low, high)
	s.Label(c.Labels())
	for i, state := range c.State {
		if state.Doubtful() {
			s.Shade(Left(i, len(c.Days)), Left(i+1, len(c.Days)))
		}
	}
	s.noted(c)
	if c.Reference != nil { // behind the columns
		s.Curve("reference", on, len(c.Days), func(i int) (decimal.Decimal, bool) {
			if i >= len(c.Reference) || !c.RefKnown[i] {
				return decimal.Zero, false
			}
			return c.Reference[i], true
		})
	}
	s.stack(c, on)
	return s
}

// reach returns the lowest and the highest value of the columns and the compared line.
func (c Columns) reach() (low, high float64) {
	for i := range c.Days {
		var down, up float64
		for _, part := range c.Parts {
			v := part.Values[i].InexactFloat64()
			down, up = down+min(v, 0), up+max(v, 0)
		}
		low, high = min(low, down), max(high, up)
	}
	for i, v := range c.Reference {
		if c.RefKnown[i] {
			low, high = min(low, v.InexactFloat64()), max(high, v.InexactFloat64())
		}
	}
	return low, high
}

// stack draws the parts of each day on top of each other: earned amounts upwards from
// zero, reversed amounts downwards.
func (s *Chart) stack(c Columns, on Panel) {
	n := len(c.Days)
	from, width := BarIn(n)
	downs, ups := make([]float64, n), make([]float64, n)
	for part, series := range c.Parts {
		var whole, running strings.Builder
		for i, v := range series.Values {
			path := &whole
			if c.State[i] == coverage.DayRunning {
				path = &running
			}
			height, below := v.InexactFloat64(), &ups[i]
			if height == 0 {
				continue
			}
			if height < 0 {
				below = &downs[i]
			}
			Bar(path, Left(i, n)+from, width, on.Y(*below), on.Y(*below+height))
			*below += height
		}
		s.Lines = append(s.Lines, Line{Class("bar", part), whole.String()})
		if running.Len() > 0 {
			s.Lines = append(s.Lines, Line{Class("bar", part) + " so-far", running.String()})
		}
	}
}

// noted marks the columns in which annotations begin and end: a line, and a dot where it meets the axis.
func (s *Chart) noted(c Columns) {
	var path, dots strings.Builder
	for i := range c.Days {
		if c.Marked(i) {
			at := Coordinate(Middle(i, len(c.Days)))
			fmt.Fprintf(&path, "M%s 0V%d", at, Side)
			fmt.Fprintf(&dots, "M%s %dh0", at, Side)
		}
	}
	if path.Len() > 0 {
		s.Lines = append(s.Lines, Line{Class: "noted", Path: path.String()}, Line{Class: "noted dots", Path: dots.String()})
	}
}
