package charts

import (
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/reports/figures"
	"rebatedesk/reports/still"
)

// The two panels of StillLines; the lower one holds the bars.
const (
	linesBottom = 0.55 * still.Side
	barsTop     = 0.68 * still.Side
)

// StillLines is the server-side counterpart of [LineChart].
func StillLines(l figures.Lines) still.Chart {
	if len(l.Steps) == 0 {
		return still.Chart{}
	}
	var lines, bars reach
	for _, part := range l.Parts {
		of := &lines
		if part.Bars {
			of = &bars
		}
		of.add(part)
	}
	var s still.Chart
	bottom := float64(still.Side)
	var lower still.Panel
	if bars.any {
		bottom = linesBottom
		lower = s.FromZero(barsTop, still.Side, bars.low, bars.high)
	}
	upper := s.FromZero(0, bottom, lines.low, lines.high)
	s.Label(stepLabels(l.Steps))
	drawnBars := 0
	for i, part := range l.Parts {
		if part.Bars {
			sideBySide(&s, still.Class("bar", i), lower, l, part, drawnBars, bars.parts)
			drawnBars++
			continue
		}
		look := still.Class("line", i)
		if part.Compared {
			look = referenceID
		}
		last, running := runningStep(l, part)
		s.Curve(look, upper, len(l.Steps), func(i int) (decimal.Decimal, bool) {
			return part.Values[i], part.IsKnown(i) && !(running && i == last)
		})
		if running {
			soFarPiece(&s, look, upper, part, last)
		}
	}
	return s
}

// reach returns the lowest and the highest value of the series.
type reach struct {
	low, high float64
	parts     int
	any       bool
}

func (r *reach) add(part figures.Curve) {
	r.parts, r.any = r.parts+1, true
	for i, v := range part.Values {
		if part.IsKnown(i) {
			r.low, r.high = min(r.low, drawn(v)), max(r.high, drawn(v))
		}
	}
}

// sideBySide draws the bars of one series next to those of the others.
func sideBySide(s *still.Chart, class string, on still.Panel, l figures.Lines, part figures.Curve, number, of int) {
	from, width := still.BarIn(len(part.Values))
	width /= float64(of)
	var whole, running strings.Builder
	for i, v := range part.Values {
		path := &whole
		if l.IsRunning(i) {
			path = &running
		}
		if part.IsKnown(i) && !v.IsZero() {
			still.Bar(path, still.Left(i, len(part.Values))+from+width*float64(number), width, on.Y(0), on.Y(drawn(v)))
		}
	}
	s.Lines = append(s.Lines, still.Line{Class: class, Path: whole.String()})
	if running.Len() > 0 {
		s.Lines = append(s.Lines, still.Line{Class: class + " so-far", Path: running.String()})
	}
}

// soFarPiece draws the dashed piece of a line that leads to the step that is not over, and that step as
// a dot.
func soFarPiece(s *still.Chart, class string, on still.Panel, part figures.Curve, step int) {
	n := len(part.Values)
	at := func(i int) string {
		return still.Coordinate(still.Middle(i, n)) + " " + still.Coordinate(on.Y(drawn(part.Values[i])))
	}
	if step > 0 && part.IsKnown(step-1) {
		s.Lines = append(s.Lines, still.Line{Class: class + " open", Path: "M" + at(step-1) + "L" + at(step)})
	}
	s.Lines = append(s.Lines, still.Line{Class: class + " end", Path: "M" + at(step) + "h0"})
}
