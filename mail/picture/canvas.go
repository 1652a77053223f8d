package picture

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"rebatedesk/reports/still"
)

// point is a position in the picture, in its own pixels.
type point struct{ x, y float64 }

// canvas is the picture with its labels, and the part of it on which the square of the chart is
// stretched.
type canvas struct {
	image       *image.RGBA
	left, right float64
	top, bottom float64
}

const (
	letter = LetterSize * density
	beside = 4 * density // between a label and the chart
)

// newCanvas writes the labels of a chart and leaves the rest to its lines.
func newCanvas(chart still.Chart) (*canvas, error) {
	parsed, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("reading the font of the chart: %w", err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: letter, DPI: 72})
	if err != nil {
		return nil, fmt.Errorf("reading the font of the chart: %w", err)
	}
	c := &canvas{image: image.NewRGBA(image.Rect(0, 0, Width*density, Height*density)), right: Width * density, top: letter / 2, bottom: Height*density - 1.75*letter}
	pen := font.Drawer{Dst: c.image, Src: textColour.with(0xff), Face: face}
	width := func(text string) float64 { return float64(pen.MeasureString(text)) / 64 }
	write := func(text string, left, base float64) {
		pen.Dot = fixed.P(int(whole(left)), int(whole(base)))
		pen.DrawString(text)
	}
	for _, mark := range chart.Values {
		c.left = max(c.left, width(mark.Text)+beside)
	}
	for _, mark := range chart.Values {
		write(mark.Text, c.left-beside-width(mark.Text), c.at(0, float64(mark.At)).y+letter/3)
	}
	for _, mark := range chart.Steps {
		wide := width(mark.Text)
		write(mark.Text, min(c.at(float64(mark.At), 0).x-wide/2, c.right-wide), Height*density-letter/4)
	}
	return c, nil
}

// at returns the place of a point of the square.
func (c *canvas) at(x, y float64) point {
	return point{c.left + x/still.Side*(c.right-c.left), c.top + y/still.Side*(c.bottom-c.top)}
}

func whole(v float64) float64 { return math.Round(v) }

// box fills a rectangle between two corners, without blurred edges. The smallest amount is seen.
func (c *canvas) box(colour image.Image, from, to point) {
	place := image.Rect(int(whole(from.x)), int(whole(from.y)), int(whole(to.x)), int(whole(to.y)))
	place.Max.X, place.Max.Y = max(place.Max.X, place.Min.X+1), max(place.Max.Y, place.Min.Y+1)
	draw.Draw(c.image, place, colour, image.Point{}, draw.Over)
}

// fill fills outlines that turn in the same direction.
func (c *canvas) fill(colour image.Image, outlines [][]point) {
	raster := vector.NewRasterizer(c.image.Rect.Dx(), c.image.Rect.Dy())
	for _, outline := range outlines {
		for i, p := range outline {
			if i == 0 {
				raster.MoveTo(float32(p.x), float32(p.y))
			} else {
				raster.LineTo(float32(p.x), float32(p.y))
			}
		}
		raster.ClosePath()
	}
	raster.Draw(c.image, c.image.Rect, colour, image.Point{})
}

// stroke returns the outline of a straight line.
func stroke(from, to point, width float64) []point {
	length := math.Hypot(to.x-from.x, to.y-from.y)
	x, y := (to.y-from.y)/length*width/2, (from.x-to.x)/length*width/2
	return []point{{from.x + x, from.y + y}, {to.x + x, to.y + y}, {to.x - x, to.y - y}, {from.x - x, from.y - y}}
}

// disc returns the outline of a dot, which turns in the direction of [stroke].
func disc(middle point, size float64) []point {
	outline := make([]point, 24)
	for i := range outline {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(outline)))
		outline[i] = point{middle.x + cos*size/2, middle.y + sin*size/2}
	}
	return outline
}

// dashed returns the outlines of the dashes of a line.
func dashed(line []point, width float64) (outlines [][]point) {
	along := 0.0 // since the last dash began
	for i := 1; i < len(line); i++ {
		from, to := line[i-1], line[i]
		length := math.Hypot(to.x-from.x, to.y-from.y)
		for done := 0.0; done < length; {
			part := dash - along
			if along >= dash {
				part = dash + pause - along
			}
			part = min(part, length-done)
			if along < dash {
				on := func(at float64) point {
					return point{from.x + (to.x-from.x)*at/length, from.y + (to.y-from.y)*at/length}
				}
				outlines = append(outlines, stroke(on(done), on(done+part), width))
				if along > 0 {
					outlines = append(outlines, disc(on(done), width)) // round the corner
				}
			}
			if done, along = done+part, along+part; along >= dash+pause {
				along = 0
			}
		}
	}
	return outlines
}

// shapes reads the path of a line of the chart: the corners of each of its pieces.
func (c *canvas) shapes(path string) (shapes [][]point, err error) {
	var at point // on the square
	for path != "" {
		command, rest := path[0], path[1:]
		end := strings.IndexAny(rest, "MLHhVz")
		if end < 0 {
			end = len(rest)
		}
		var numbers []float64
		for _, text := range strings.Fields(rest[:end]) {
			number, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("the path of a chart: %w", err)
			}
			numbers = append(numbers, number)
		}
		path = rest[end:]
		switch {
		case command == 'M' && len(numbers) == 2:
			shapes = append(shapes, nil)
			at = point{numbers[0], numbers[1]}
		case command == 'L' && len(numbers) == 2:
			at = point{numbers[0], numbers[1]}
		case command == 'H' && len(numbers) == 1:
			at.x = numbers[0]
		case command == 'h' && len(numbers) == 1:
			at.x += numbers[0]
		case command == 'V' && len(numbers) == 1:
			at.y = numbers[0]
		case command == 'z' && len(numbers) == 0:
			continue
		default:
			return nil, fmt.Errorf("the path of a chart has the command %q", command)
		}
		if len(shapes) == 0 {
			return nil, fmt.Errorf("the path of a chart begins with %q", command)
		}
		shapes[len(shapes)-1] = append(shapes[len(shapes)-1], c.at(at.x, at.y))
	}
	return shapes, nil
}
