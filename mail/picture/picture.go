package picture

import (
	"bytes"
	"fmt"
	"image/color"

	"github.com/shopspring/decimal"
	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"rebatedesk/reports/figures"
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
)

// rgb is a colour, written as in a style sheet.
type rgb uint32

func (c rgb) String() string { return fmt.Sprintf("#%06x", uint32(c)) }

// RGBA makes it a color.Color.
func (c rgb) RGBA() (r, g, b, a uint32) { return c.with(0xff).RGBA() }

func (c rgb) with(alpha uint8) color.NRGBA {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: alpha}
}

// The picture is shown 552 pixels wide and drawn at twice that resolution. A phone of
// 390 pixels shows it 358 wide: letters of 18 become 11 or 12 there, which is readable.
const (
	Width       = 552
	Height      = 260
	pictureDots = 144 // per inch; a pixel of the page is 1/72 inch here
	LetterSize  = 18
)

// Draw makes a PNG of commission by day: stacked columns, and the compared period as a
// dashed line. An unknown day has a band instead of a column.
func Draw(series figures.DailySeries) ([]byte, error) {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	style(p)
	p.Add(gridOf())
	width := vg.Length(Width-90) / vg.Length(max(1, len(series.Days))) * 0.68
	if err := columns(p, series, width); err != nil {
		return nil, fmt.Errorf("drawing the chart: %w", err)
	}
	if line := referenceLine(series); line != nil {
		p.Add(line)
	}
	p.NominalX(dayNames(series)...)
	p.Add(bands(series))
	p.X.Min, p.X.Max = -0.5, float64(len(series.Days))-0.5
	Scale(&p.Y)
	return encode(p)
}

// columns adds a layer for each part: earned amounts are stacked upwards from zero, and what is taken
// back downwards.
func columns(p *plot.Plot, series figures.DailySeries, width vg.Length) error {
	for _, down := range []bool{false, true} {
		var below *plotter.BarChart
		for i, part := range series.Parts {
			values, some := make([]decimal.Decimal, len(part.Values)), !down
			for day, v := range part.Values {
				if v.IsNegative() == down {
					values[day], some = v, some || down
				}
			}
			if !some {
				continue
			}
			bars, err := plotter.NewBarChart(heights(values), width)
			if err != nil {
				return err
			}
			bars.Color, bars.LineStyle.Width = partColours[i%len(partColours)], 0
			if below != nil {
				bars.StackOn(below)
			}
			below = bars
			p.Add(bars)
		}
	}
	return nil
}

func encode(p *plot.Plot) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(Width, Height), vgimg.UseDPI(pictureDots), vgimg.UseBackgroundColor(color.Transparent))
	p.Draw(vgdraw.Crop(vgdraw.New(canvas), 0, -2, 2, -8))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing the chart: %w", err)
	}
	return b.Bytes(), nil
}

// style gives the axes the application's look.
func style(p *plot.Plot) {
	face := font.Font{Typeface: "Liberation", Variant: "Sans", Style: stdfont.StyleNormal, Size: LetterSize}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Width = 0
		axis.Tick.LineStyle.Width, axis.Tick.Length = 0, 4
		axis.Tick.Label.Font, axis.Tick.Label.Color = face, textColour
	}
}

func gridOf() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width = gridColour.with(gridAlpha), 0.75
	return grid
}

// heights converts amounts to lengths in a picture, which need not be exact.
func heights(values []decimal.Decimal) plotter.Values {
	list := make(plotter.Values, len(values))
	for i, v := range values {
		list[i] = v.InexactFloat64()
	}
	return list
}

// bands marks the days on which commission may be missing.
type bands figures.DailySeries

// Plot draws the bands over the whole height.
func (b bands) Plot(c vgdraw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for i := range b.Days {
		if !b.State[i].Doubtful() {
			continue
		}
		from, to := x(float64(i)-0.45), x(float64(i)+0.45)
		c.FillPolygon(gridColour.with(gridAlpha), []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
	}
}

// referenceLine returns the compared period as far as it extends, and nil if not all of
// its days are known.
func referenceLine(series figures.DailySeries) *plotter.Line {
	var points plotter.XYs
	for i, v := range series.Reference {
		if !series.RefKnown[i] {
			return nil
		}
		if i < len(series.Days) {
			points = append(points, plotter.XY{X: float64(i), Y: v.InexactFloat64()})
		}
	}
	if len(points) < 2 {
		return nil
	}
	line := &plotter.Line{XYs: points, LineStyle: plotter.DefaultLineStyle}
	line.Color, line.Width, line.Dashes = referenceColour, 2, []vg.Length{5, 3}
	return line
}
