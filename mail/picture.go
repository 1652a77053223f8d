package mail

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

	"rebatedesk/reports"
)

// The colours of the charts in the application, light: the picture is a card
// with a ground of its own, which reads on a dark page too.
var (
	partColours = []color.Color{rgb(0x4658dd), rgb(0xa3b1fb), rgb(0x1f2a7a), rgb(0x7f8cf0), rgb(0xc9d1fd), rgb(0x5d6b8a)}
	lineColour  = rgb(0x4c5566)
	textColour  = rgb(0x5a6372)
	gridColour  = rgb(0xe6e9ee)
)

func rgb(c uint32) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 0xff}
}

// The picture is shown 552 pixels wide, and drawn twice as fine.
const (
	pictureWidth  = 552
	pictureHeight = 220
	pictureDots   = 144 // an inch; a pixel of the page is 1/72 here
)

// draw makes a PNG of commission by day: columns that stack, and the compared
// period as a dashed line.
func draw(series reports.DailySeries) ([]byte, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	style(p)
	p.Add(gridOf())
	var below *plotter.BarChart
	width := vg.Length(pictureWidth-90) / vg.Length(max(1, len(series.Days))) * 0.72
	for i, part := range series.Parts {
		bars, err := plotter.NewBarChart(heights(part.Values), width)
		if err != nil {
			return nil, fmt.Errorf("drawing the chart: %w", err)
		}
		bars.Color, bars.LineStyle.Width = partColours[i%len(partColours)], 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		p.Legend.Add(part.Name, bars)
	}
	if line := referenceLine(series); line != nil {
		p.Add(line)
		p.Legend.Add("period before", line)
	}
	p.NominalX(dayNames(series)...)
	p.Y.Min = min(p.Y.Min, 0)
	p.Y.Max += (p.Y.Max - p.Y.Min) / 4 // room for the legend above the columns
	p.Y.Label.Text = string(series.Coin)
	return encode(p)
}

func encode(p *plot.Plot) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(pictureWidth, pictureHeight), vgimg.UseDPI(pictureDots), vgimg.UseBackgroundColor(color.White))
	p.Draw(vgdraw.Crop(vgdraw.New(canvas), 8, -12, 6, -8))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing the chart: %w", err)
	}
	return b.Bytes(), nil
}

// style gives axes and legend the application's look.
func style(p *plot.Plot) {
	face := font.Font{Typeface: "Liberation", Variant: "Sans", Style: stdfont.StyleNormal, Size: 9}
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = face, textColour
	p.Legend.Top, p.Legend.Left, p.Legend.YOffs, p.Legend.ThumbnailWidth = true, true, 2, 10
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle.Width = 0
		axis.Tick.LineStyle.Width, axis.Tick.Length = 0, 3
		axis.Tick.Label.Font, axis.Tick.Label.Color = face, textColour
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = face, textColour
	}
}

func gridOf() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color, grid.Horizontal.Width = gridColour, 0.75
	return grid
}

// heights are amounts as lengths of a picture, which need not be exact.
func heights(values []decimal.Decimal) plotter.Values {
	list := make(plotter.Values, len(values))
	for i, v := range values {
		list[i] = v.InexactFloat64()
	}
	return list
}

// referenceLine is the compared period; nil where there is none that is known
// on all of its days.
func referenceLine(series reports.DailySeries) *plotter.Line {
	var points plotter.XYs
	for i, v := range series.Reference {
		if i >= len(series.Days) || !series.RefKnown[i] {
			return nil
		}
		points = append(points, plotter.XY{X: float64(i), Y: v.InexactFloat64()})
	}
	if len(points) < 2 {
		return nil
	}
	line := &plotter.Line{XYs: points, LineStyle: plotter.DefaultLineStyle}
	line.Color, line.Width, line.Dashes = lineColour, 1.25, []vg.Length{4, 3}
	return line
}

// dayNames labels about eight of the days.
func dayNames(series reports.DailySeries) []string {
	names := make([]string, len(series.Days))
	step := max(1, (len(names)+7)/8)
	for i := 0; i < len(names); i += step {
		names[i] = series.Days[i].Format("2 Jan")
	}
	return names
}
