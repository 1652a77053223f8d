// Package picture draws the chart of a summary as PNG: the one that pages draw without a script.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"

	"rebatedesk/reports/figures"
	"rebatedesk/reports/still"
)

// partColours are the colours of the layers. The picture has a transparent background:
// a mail program shows it on light or dark, and does not say which. So these have the hues of the
// charts on pages, in the same order, in shades that contrast with both.
var partColours = []rgb{0x4f62e6, 0xc66e15, 0x19a688, 0x9458a3, 0xd4574f, 0x6f7f9e}

const (
	referenceColour rgb = 0x8a94a6
	textColour      rgb = 0x78828f // equally distant from white and from the dark background
	gridColour      rgb = 0x8a94a6
	gridAlpha           = 0x40
	soFarAlpha          = 0x80 // of a column whose day is not over
)

// rgb is a colour, written as in a style sheet.
type rgb uint32

func (c rgb) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

func (c rgb) with(alpha uint8) image.Image {
	return image.NewUniform(color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: alpha})
}

// partColour returns the colour of a layer by its order; the colours repeat.
func partColour(part int) rgb { return partColours[part%still.Looks%len(partColours)] }

// The picture is shown 552 pixels wide and drawn at twice that resolution. A phone of
// 390 pixels shows it 358 wide: letters of 18 become 11 or 12 there, which is readable.
const (
	Width      = 552
	Height     = 200
	LetterSize = 18
	density    = 2
)

// The lines of the picture, in its own pixels.
const (
	ruleWidth      = 1 * density
	referenceWidth = 2 * density
	dotSize        = 8 * density
	dash, pause    = 5 * density, 3 * density
)

// Draw makes a PNG of commission by day: stacked columns, and the compared period as a
// dashed line. An unknown day has a band instead of a column.
func Draw(series figures.DailySeries) ([]byte, error) {
	series.Annotations = nil // the text of the message has them
	chart := still.Daily(series)
	if days := series.Days; len(days) == 7 && days[0].Format("2006") == days[6].Format("2006") {
		chart.LabelEvery(1, still.DayLabels(days)) // a week has room, unlike on a narrow page
	}
	c, err := newCanvas(chart)
	if err != nil {
		return nil, err
	}
	for _, band := range chart.Bands {
		c.box(gridColour.with(gridAlpha), c.at(float64(band.From), 0), c.at(float64(band.From+band.Width), still.Side))
	}
	for _, compared := range []bool{false, true} { // the comparison last: nothing else tells a reader what is behind a column
		for _, line := range chart.Lines {
			if strings.HasPrefix(line.Class, "reference") != compared {
				continue
			}
			if err := c.line(line); err != nil {
				return nil, fmt.Errorf("drawing the chart: %w", err)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, c.image); err != nil {
		return nil, fmt.Errorf("writing the chart: %w", err)
	}
	return b.Bytes(), nil
}

// line draws a line of the chart in its look.
func (c *canvas) line(line still.Line) error {
	shapes, err := c.shapes(line.Path)
	if err != nil {
		return err
	}
	look, how, _ := strings.Cut(line.Class, " ")
	switch part, isBar := strings.CutPrefix(look, "bar-"); {
	case isBar:
		number, err := strconv.Atoi(part)
		if err != nil {
			return fmt.Errorf("the look %q: %w", look, err)
		}
		alpha := uint8(0xff)
		if how == "so-far" {
			alpha = soFarAlpha
		}
		for _, bar := range shapes {
			c.box(partColour(number-1).with(alpha), bar[0], bar[2])
		}
	case look == "rule":
		for _, rule := range shapes {
			c.box(gridColour.with(gridAlpha), rule[0], point{rule[1].x, rule[1].y + ruleWidth})
		}
	case look == "reference" && how == "dots":
		for i, dot := range shapes {
			shapes[i] = disc(dot[0], dotSize)
		}
		c.fill(referenceColour.with(0xff), shapes)
	case look == "reference":
		var dashes [][]point
		for _, curve := range shapes {
			dashes = append(dashes, dashed(curve, referenceWidth)...)
		}
		c.fill(referenceColour.with(0xff), dashes)
	default:
		return fmt.Errorf("the look %q is not drawn in mails", line.Class)
	}
	return nil
}

// LegendEntry is a line of the chart's legend.
type LegendEntry struct {
	Sign, Colour, Name string
}

// Legend explains the colours of a chart; before names the compared period.
func Legend(series figures.DailySeries, before string) (marks []LegendEntry) {
	for i, part := range series.Parts {
		marks = append(marks, LegendEntry{"■", partColour(i).String(), part.Name})
	}
	chart := still.Daily(series)
	for _, line := range chart.Lines {
		if strings.HasPrefix(line.Class, "reference") {
			marks = append(marks, LegendEntry{"╌╌", referenceColour.String(), before})
			break // its dots are another line
		}
	}
	if len(chart.Bands) > 0 {
		marks = append(marks, LegendEntry{"▒", gridColour.String(), "not collected completely"})
	}
	return marks
}
