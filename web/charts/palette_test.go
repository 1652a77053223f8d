package charts_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rebatedesk/reports/still"
)

// colour is a colour in linear sRGB.
type colour [3]float64

func parseColour(t *testing.T, text string) colour {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	if err != nil || len(text) != 7 {
		t.Fatalf("%q is not a colour of the form #rrggbb", text)
	}
	var c colour
	for i := range c {
		v := float64(n>>(16-8*i)&0xff) / 255
		if c[i] = v / 12.92; v > 0.04045 {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c colour) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast returns the contrast ratio of WCAG 2.2.
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// views lists how people see colours: with all cones, and without each kind of cone
// (Machado, Oliveira and Fernandes 2009, severity 1).
var views = map[string][3]colour{
	"all colours":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (c colour) seenIn(view [3]colour) colour {
	var seen colour
	for i, row := range view {
		seen[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return seen
}

// lab converts a colour to CIELAB under D65.
func (c colour) lab() [3]float64 {
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(c.luminance())
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b colour) float64 {
	x, y := a.lab(), b.lab()
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// schemes reads the colours of the style sheet, light and dark.
func schemes(t *testing.T) map[string]map[string]string {
	t.Helper()
	css, err := os.ReadFile("../assets/src/app.css")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(css), `@plugin "daisyui/theme"`)
	if len(parts) != 3 {
		t.Fatalf("the style sheet has %d schemes, not two", len(parts)-1)
	}
	found := map[string]map[string]string{}
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "\n}")
		values := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
			values[m[1]] = m[2]
		}
		found[regexp.MustCompile(`name: "(\w+)"`).FindStringSubmatch(block)[1]] = values
	}
	return found
}

// WCAG 1.4.11 requires a contrast of 3:1 for all meaningful graphics: series, the borders
// of fields, and the focus ring.
func TestControlsAndSeriesStandOut(t *testing.T) {
	for name, scheme := range schemes(t) {
		for _, ground := range []string{"color-base-100", "color-base-200", "chart-surface"} {
			for _, what := range []string{"chart-1", "chart-2", "chart-3", "chart-4", "chart-5", "chart-6", "chart-7", "chart-8", "chart-reference", "field-edge", "color-primary"} {
				if strings.HasPrefix(what, "chart-") && ground == "color-base-200" {
					continue // charts are drawn on cards
				}
				if got := contrast(parseColour(t, scheme[what]), parseColour(t, scheme[ground])); got < 3 {
					t.Errorf("%s: %s on %s has a contrast of %.2f, less than 3", name, what, ground, got)
				}
			}
		}
	}
}

// Readers with every kind of colour vision can distinguish the series.
func TestSeriesAreDistinguishable(t *testing.T) {
	for name, scheme := range schemes(t) {
		for seen, view := range views {
			for i := 1; i <= still.Looks; i++ {
				for j := i + 1; j <= still.Looks; j++ {
					a, b := parseColour(t, scheme[fmt.Sprintf("chart-%d", i)]), parseColour(t, scheme[fmt.Sprintf("chart-%d", j)])
					if got := distance(a.seenIn(view), b.seenIn(view)); got < 25 {
						t.Errorf("%s, %s: the distance of series %d and %d is %.1f, less than 25", name, seen, i, j, got)
					}
				}
			}
		}
	}
}
