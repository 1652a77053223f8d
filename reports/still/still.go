// Package still draws charts without a script: the lines and texts of a chart at their
// positions, as the pages show them until the script has drawn and as mails hold them.
// Positions are floats; amounts are text.
package still

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Chart is a complete chart. Its lines are drawn on a square of [Side] units that is stretched to
// the place of the chart; its texts and bands keep their shape.
type Chart struct {
	Values []Mark // up the left side
	Steps  []Mark // along the bottom
	Bands  []Band // behind the columns with missing or incomplete data
	Lines  []Line
}

// Side is the width and the height of the square on which lines are drawn.
const Side = 1000

// Place is a distance on the square from its left or its upper side. It prints as a percentage of
// the side.
type Place float64

func (p Place) String() string {
	return strconv.FormatFloat(math.Round(float64(p)*1000/Side)/10+0, 'f', -1, 64) + "%"
}

// Mark is a text at a position on an axis.
type Mark struct {
	At   Place
	Text string
}

// Band is a horizontal range of the chart.
type Band struct{ From, Width Place }

// Line is the path of one series.
type Line struct {
	Class string // its look: rule, bar-1, line-1 and so on, reference
	Path  string // the d of an SVG path
}

// Shade puts a band behind a range of the square.
func (s *Chart) Shade(from, to float64) {
	s.Bands = append(s.Bands, Band{Place(from), Place(to - from)})
}

// Panel is a part of the square with a separate scale.
type Panel struct {
	Top, Bottom float64
	Low, High   float64
}

// Y returns the vertical position of a value.
func (p Panel) Y(v float64) float64 {
	return p.Bottom - (v-p.Low)/(p.High-p.Low)*(p.Bottom-p.Top)
}

// FromZero makes a panel whose axis includes zero, with its grid and its labels.
func (s *Chart) FromZero(top, bottom, low, high float64) Panel {
	values, decimals := fromZero(low, high)
	return s.panel(top, bottom, values, func(v float64) string { return Compact(v, decimals) })
}

// Within makes a panel whose axis does not include zero unless the values do.
func (s *Chart) Within(top, bottom, low, high float64) Panel {
	values, decimals := within(low, high)
	return s.panel(top, bottom, values, func(v float64) string { return grouped(v, decimals) })
}

func (s *Chart) panel(top, bottom float64, values []float64, words func(float64) string) Panel {
	p := Panel{Top: top, Bottom: bottom, Low: values[0], High: values[len(values)-1]}
	var grid strings.Builder
	for _, v := range values {
		y := p.Y(v)
		fmt.Fprintf(&grid, "M0 %sH%d", Coordinate(y), Side)
		s.Values = append(s.Values, Mark{Place(y), words(v)})
	}
	s.Lines = append(s.Lines, Line{Class: "rule", Path: grid.String()})
	return p
}

// mostSteps is the maximum number of labelled steps; more would overlap on a phone. Labels longer
// than shortLabel, such as days with their year, are mostLongSteps at most.
const (
	mostSteps     = 6
	mostLongSteps = 4
	shortLabel    = 6
)

// Label names as many of the columns as fit on a phone, at equal distances.
func (s *Chart) Label(labels []string) {
	most := mostSteps
	if slices.ContainsFunc(labels, func(label string) bool { return utf8.RuneCountInString(label) > shortLabel }) {
		most = mostLongSteps
	}
	s.LabelEvery(max(1, (len(labels)+most-1)/most), labels)
}

// LabelEvery names every so many columns, from the first one on.
func (s *Chart) LabelEvery(every int, labels []string) {
	s.Steps = nil
	for i := 0; i < len(labels); i += every {
		s.Steps = append(s.Steps, Mark{Place(Middle(i, len(labels))), labels[i]})
	}
}

// Left returns the left edge of one of the columns into which the square is divided.
func Left(i, of int) float64 { return Side * float64(i) / float64(of) }

// Middle returns the middle of a column.
func Middle(i, of int) float64 { return Left(i, of) + Side/float64(of)/2 }

// BarIn returns the left edge and the width of the bar in its column. If there are few
// columns, they are wide and their bars fill a smaller part of them.
func BarIn(of int) (from, width float64) {
	share := min(0.72, 0.2+0.035*float64(of))
	return Side / float64(of) / 2 * (1 - share), Side / float64(of) * share
}

func Bar(path *strings.Builder, x, width, from, to float64) {
	fmt.Fprintf(path, "M%s %sh%sV%sh-%sz", Coordinate(x), Coordinate(from), Coordinate(width), Coordinate(to), Coordinate(width))
}

// Curve draws a line through the known values and interrupts it at unknown ones. A value
// between two unknown ones becomes a dot.
func (s *Chart) Curve(class string, on Panel, n int, value func(i int) (decimal.Decimal, bool)) {
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
		x, y := Coordinate(Middle(i, n)), Coordinate(on.Y(v.InexactFloat64()))
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
		s.Lines = append(s.Lines, Line{Class: class, Path: path.String()})
	}
	if dots.Len() > 0 {
		s.Lines = append(s.Lines, Line{Class: class + " dots", Path: dots.String()})
	}
}

// Class returns the style of a series by its order; the styles repeat.
func Class(kind string, part int) string { return kind + "-" + strconv.Itoa(part%Looks+1) }

// Looks is the number of series that have distinct colours.
const Looks = 8

// Coordinate formats a position on the square, to a tenth of a unit.
func Coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// Compact formats a value of an axis in few characters: 1.5K, 20M.
func Compact(v float64, decimals int) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if math.Abs(v) >= unit.size {
			return strconv.FormatFloat(v/unit.size, 'g', 4, 64) + unit.name
		}
	}
	return grouped(v, decimals)
}

func grouped(v float64, decimals int) string {
	return affiliate.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))
}
