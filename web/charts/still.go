package charts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/axis"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// Still is a chart drawn by the server, complete without a script. Its lines are drawn
// on a square of [BarSide] units that the page stretches; all other positions are
// percentages of its width and height.
type Still struct {
	Values []Mark // up the left side
	Steps  []Mark // along the bottom
	Bands  []Band // behind the columns with missing or incomplete data
	Lines  []LineDrawing
}

// BarSide is the width and the height of the square on which lines are drawn.
const BarSide = 1000

// Mark is a text at a position on an axis, in percent from the left or from the top.
type Mark struct {
	At   string
	Text string
}

// Band is a horizontal range of the chart, in percent.
type Band struct{ From, Width string }

// LineDrawing is the path of one series.
type LineDrawing struct {
	Class   string // its look: rule, bar-1, line-1 and so on, reference
	Path    string // the d of an SVG path
	Striped bool   // filled with stripes besides its colour: it touches others
}

// Striped reports whether any of the lines has stripes.
func (s Still) Striped() bool {
	return slices.ContainsFunc(s.Lines, func(l LineDrawing) bool { return l.Striped })
}

// panel is a part of the square with a separate scale.
type panel struct {
	top, bottom float64
	low, high   float64
}

// y returns the vertical position of a value.
func (p panel) y(v float64) float64 {
	return p.bottom - (v-p.low)/(p.high-p.low)*(p.bottom-p.top)
}

// scaled divides the axis of a panel and draws its grid and its labels.
func (s *Still) scaled(top, bottom, low, high float64) panel {
	values, decimals := axis.Ticks(low, high)
	p := panel{top: top, bottom: bottom, low: values[0], high: values[len(values)-1]}
	var grid strings.Builder
	for _, v := range values {
		y := p.y(v)
		fmt.Fprintf(&grid, "M0 %sH%d", coordinate(y), BarSide)
		s.Values = append(s.Values, Mark{percent(y), compact(v, decimals)})
	}
	s.Lines = append(s.Lines, LineDrawing{Class: "rule", Path: grid.String()})
	return p
}

// mostSteps is the maximum number of labelled steps; more would overlap on a phone. Labels longer
// than shortLabel, such as days with their year, are mostLongSteps at most.
const (
	mostSteps     = 6
	mostLongSteps = 4
	shortLabel    = 6
)

// steps labels as many steps as fit on a phone, at equal distances.
func (s *Still) steps(labels []string) {
	most := mostSteps
	if slices.ContainsFunc(labels, func(label string) bool { return utf8.RuneCountInString(label) > shortLabel }) {
		most = mostLongSteps
	}
	every := max(1, (len(labels)+most-1)/most)
	for i := 0; i < len(labels); i += every {
		s.Steps = append(s.Steps, Mark{percent(column(i, len(labels)) + half(len(labels))), labels[i]})
	}
}

// column returns the left edge of a column; half is half of its width.
func column(i, of int) float64 { return BarSide * float64(i) / float64(of) }
func half(of int) float64      { return BarSide / float64(of) / 2 }

// StillDaily is the server-side counterpart of [DrawDaily].
func StillDaily(d figures.DailySeries) Still {
	p := plotOf(d)
	if len(p.Days) == 0 {
		return Still{}
	}
	var s Still
	low, high := p.reach()
	on := s.scaled(0, BarSide, low, high)
	s.steps(p.labels())
	for i, state := range p.State {
		if state.Doubtful() {
			s.Bands = append(s.Bands, Band{percent(column(i, len(p.Days))), percent(2 * half(len(p.Days)))})
		}
	}
	s.noted(p)
	s.stack(p, on)
	if p.Reference != nil {
		s.line("reference", on, len(p.Days), func(i int) (decimal.Decimal, bool) {
			if i >= len(p.Reference) || !p.RefKnown[i] {
				return decimal.Zero, false
			}
			return p.Reference[i], true
		})
	}
	return s
}

// reach returns the lowest and the highest value of the columns and the compared line.
func (p plot) reach() (low, high float64) {
	for i := range p.Days {
		var down, up float64
		for _, part := range p.Parts {
			v := drawn(part.Values[i])
			down, up = down+min(v, 0), up+max(v, 0)
		}
		low, high = min(low, down), max(high, up)
	}
	for i, v := range p.Reference {
		if p.RefKnown[i] {
			low, high = min(low, drawn(v)), max(high, drawn(v))
		}
	}
	return low, high
}

// stack draws the parts of each day on top of each other: earned amounts upwards from
// zero, reversed amounts downwards.
func (s *Still) stack(p plot, on panel) {
	n := len(p.Days)
	from, width := barIn(n)
	downs, ups := make([]float64, n), make([]float64, n)
	for part, series := range p.Parts {
		var whole, running strings.Builder
		for i, v := range series.Values {
			path := &whole
			if p.State[i] == coverage.DayRunning {
				path = &running
			}
			height, below := drawn(v), &ups[i]
			if height == 0 {
				continue
			}
			if height < 0 {
				below = &downs[i]
			}
			bar(path, column(i, n)+from, width, on.y(*below), on.y(*below+height))
			*below += height
		}
		striped := part%2 == 1 // as the script draws them
		s.Lines = append(s.Lines, LineDrawing{class("bar", part), whole.String(), striped && whole.Len() > 0})
		if running.Len() > 0 {
			s.Lines = append(s.Lines, LineDrawing{class("bar", part) + " so-far", running.String(), striped})
		}
	}
}

// barIn returns the left edge and the width of the bar in its column. If there are few
// columns, they are wide and their bars fill a smaller part of them.
func barIn(of int) (from, width float64) {
	share := min(0.72, 0.2+0.035*float64(of))
	return half(of) * (1 - share), 2 * half(of) * share
}

func bar(path *strings.Builder, x, width, from, to float64) {
	fmt.Fprintf(path, "M%s %sh%sV%sh-%sz", coordinate(x), coordinate(from), coordinate(width), coordinate(to), coordinate(width))
}

// line draws a line through the known values and interrupts it at unknown ones. A value
// between two unknown ones becomes a dot.
func (s *Still) line(class string, on panel, n int, value func(i int) (decimal.Decimal, bool)) {
	var path, dots strings.Builder
	known := func(i int) bool {
		if i < 0 || i >= n {
			return false
		}
		_, known := value(i)
		return known
	}
	for i := range n {
		if !known(i) {
			continue
		}
		v, _ := value(i)
		x, y := coordinate(column(i, n)+half(n)), coordinate(on.y(drawn(v)))
		switch before := known(i - 1); {
		case before:
			fmt.Fprintf(&path, "L%s %s", x, y)
		case known(i + 1):
			fmt.Fprintf(&path, "M%s %s", x, y)
		default:
			fmt.Fprintf(&dots, "M%s %sh0", x, y)
		}
	}
	if path.Len() > 0 {
		s.Lines = append(s.Lines, LineDrawing{Class: class, Path: path.String()})
	}
	if dots.Len() > 0 {
		s.Lines = append(s.Lines, LineDrawing{Class: class + " dots", Path: dots.String()})
	}
}

// The two panels of StillLines; the lower one holds the bars.
const (
	linesBottom = 0.55 * BarSide
	barsTop     = 0.68 * BarSide
)

// StillLines is the server-side counterpart of [LineChart].
func StillLines(l figures.Lines) Still {
	if len(l.Steps) == 0 {
		return Still{}
	}
	var lines, bars reach
	for _, part := range l.Parts {
		of := &lines
		if part.Bars {
			of = &bars
		}
		of.add(part)
	}
	var s Still
	bottom := float64(BarSide)
	var lower panel
	if bars.any {
		bottom = linesBottom
		lower = s.scaled(barsTop, BarSide, bars.low, bars.high)
	}
	upper := s.scaled(0, bottom, lines.low, lines.high)
	s.steps(stepLabels(l.Steps))
	drawnBars := 0
	for i, part := range l.Parts {
		if part.Bars {
			s.bars(class("bar", i), lower, l, part, drawnBars, bars.parts)
			drawnBars++
			continue
		}
		look := class("line", i)
		if part.Compared {
			look = referenceID
		}
		last, running := runningStep(l, part)
		s.line(look, upper, len(l.Steps), func(i int) (decimal.Decimal, bool) {
			return part.Values[i], part.IsKnown(i) && !(running && i == last)
		})
		if running {
			s.soFar(look, upper, part, last)
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

// bars draws the bars of one series next to those of the others.
func (s *Still) bars(class string, on panel, l figures.Lines, part figures.Curve, number, of int) {
	from, width := barIn(len(part.Values))
	width /= float64(of)
	var whole, running strings.Builder
	for i, v := range part.Values {
		path := &whole
		if l.IsRunning(i) {
			path = &running
		}
		if part.IsKnown(i) && !v.IsZero() {
			bar(path, column(i, len(part.Values))+from+width*float64(number), width, on.y(0), on.y(drawn(v)))
		}
	}
	s.Lines = append(s.Lines, LineDrawing{Class: class, Path: whole.String()})
	if running.Len() > 0 {
		s.Lines = append(s.Lines, LineDrawing{Class: class + " so-far", Path: running.String()})
	}
}

// soFar draws the dashed piece of a line that leads to the step that is not over, and that step as
// a dot.
func (s *Still) soFar(class string, on panel, part figures.Curve, step int) {
	n := len(part.Values)
	at := func(i int) string {
		return coordinate(column(i, n)+half(n)) + " " + coordinate(on.y(drawn(part.Values[i])))
	}
	if step > 0 && part.IsKnown(step-1) {
		s.Lines = append(s.Lines, LineDrawing{Class: class + " open", Path: "M" + at(step-1) + "L" + at(step)})
	}
	s.Lines = append(s.Lines, LineDrawing{Class: class + " end", Path: "M" + at(step) + "h0"})
}

// class returns the style of a series by its order; the styles repeat.
func class(kind string, part int) string { return kind + "-" + strconv.Itoa(part%Looks+1) }

// Looks is the number of series that have distinct colours.
const Looks = 8

// coordinate formats a position on the square, to a tenth of a unit.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// percent returns a position on the square as a percentage of its side.
func percent(v float64) string {
	return strconv.FormatFloat(math.Round(v*1000/BarSide)/10+0, 'f', -1, 64) + "%"
}

// compact formats an axis value in few characters: 1.5K, 20M.
func compact(v float64, decimals int) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if math.Abs(v) >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 4, 64) + unit.name
		}
	}
	return affiliate.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))
}
