package picture

import (
	"strconv"

	"gonum.org/v1/plot"

	"rebatedesk/affiliate"
	"rebatedesk/internal/axis"
	"rebatedesk/reports/figures"
)

// Scale makes the axis end at round amounts and labels three to six of them, without
// trailing zeros.
func Scale(a *plot.Axis) {
	values, decimals := axis.Ticks(a.Min, a.Max)
	ticks := make(plot.ConstantTicks, len(values))
	for i, v := range values {
		ticks[i] = plot.Tick{Value: v, Label: affiliate.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))}
	}
	a.Min, a.Max, a.Tick.Marker = values[0], values[len(values)-1], ticks
}

// dayNames labels at most six days; more labels would overlap on a phone.
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

// LegendEntry is a line of the chart's legend.
type LegendEntry struct {
	Sign, Colour, Name string
}

// Legend explains the colours of a chart; before names the compared period.
func Legend(chart figures.DailySeries, before string) (marks []LegendEntry) {
	for i, part := range chart.Parts {
		marks = append(marks, LegendEntry{"■", partColours[i%len(partColours)].String(), part.Name})
	}
	if referenceLine(chart) != nil {
		marks = append(marks, LegendEntry{"╌╌", referenceColour.String(), before})
	}
	for _, state := range chart.State {
		if state.Doubtful() {
			return append(marks, LegendEntry{"▒", gridColour.String(), "not collected completely"})
		}
	}
	return marks
}
