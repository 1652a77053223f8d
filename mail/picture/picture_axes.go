package picture

import (
	"math"
	"strconv"

	"github.com/shopspring/decimal"
	"gonum.org/v1/plot"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// Scale makes the axis end at round amounts, and names three to six of them
// without zeros at their end.
func Scale(axis *plot.Axis) {
	low, high := min(axis.Min, 0), max(axis.Max, 0)
	if high <= low {
		high = low + 1 // nothing was earned
	}
	step := roundStep((high - low) / 4)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	digits := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	var ticks plot.ConstantTicks
	for n := first; n <= last; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: affiliate.Grouped(strconv.FormatFloat(n*step+0, 'f', digits, 64))})
	}
	axis.Min, axis.Max, axis.Tick.Marker = first*step, last*step, ticks
}

// roundStep is the smallest of 1, 2, 5, 10, 20 and so on, or of 0.1 and so on,
// that is not below a length.
func roundStep(length float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(length)))
	for _, factor := range []float64{1, 2, 5} {
		if length <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// dayNames labels six of the days at most: more would run into each other on a
// telephone.
func dayNames(series figures.DailySeries) []string {
	names := make([]string, len(series.Days))
	step := max(1, (len(names)+5)/6)
	if len(names) == 7 {
		step = 1 // a week
	}
	for i := 0; i < len(names); i += step {
		names[i] = series.Days[i].Format("2 Jan")
	}
	return names
}

// Doubtful reports whether commission may be missing from a day.
func Doubtful(state coverage.DayState) bool {
	return state == coverage.DayMissing || state == coverage.DayPartial || state == coverage.DayFailed
}

// Known reports whether the sum of a day says anything. Zero does not while
// commission may be missing, or has yet to be earned.
func Known(state coverage.DayState, sum decimal.Decimal) bool {
	return !sum.IsZero() || !Doubtful(state) && state.Due()
}

// Mark is a line of the chart's legend.
type Mark struct {
	Sign, Colour, Name string
}

// Legend says what the colours of a chart stand for; before names the compared
// period.
func Legend(chart figures.DailySeries, before string) (marks []Mark) {
	for i, part := range chart.Parts {
		marks = append(marks, Mark{"■", partColours[i%len(partColours)].String(), part.Name})
	}
	if referenceLine(chart) != nil {
		marks = append(marks, Mark{"╌╌", referenceColour.String(), before})
	}
	for _, state := range chart.State {
		if Doubtful(state) {
			return append(marks, Mark{"▒", gridColour.String(), "not collected completely"})
		}
	}
	return marks
}
