package picture

import (
	"strconv"

	"github.com/shopspring/decimal"
	"gonum.org/v1/plot"

	"rebatedesk/affiliate"
	"rebatedesk/internal/axis"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

// Scale makes the axis end at round amounts, and names three to six of them
// without zeros at their end.
func Scale(a *plot.Axis) {
	values, decimals := axis.Ticks(a.Min, a.Max)
	ticks := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		ticks[i] = plot.Tick{Value: v, Label: affiliate.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))}
	}
	a.Min, a.Max, a.Tick.Marker = values[0], values[len(values)-1], ticks
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
