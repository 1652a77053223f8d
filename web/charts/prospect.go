package charts

import (
	"fmt"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/still"
)

// Prospect is what a range has brought, added up, and what it will bring by an estimate.
type Prospect struct {
	Coin   affiliate.Coin
	Days   []affiliate.Day   // consecutive
	Earned []decimal.Decimal // of the days that have begun
	Ahead  []ProspectDay     // the last days; the first of them may have begun
	Rough  func(decimal.Decimal) string
	// Unranged says that the estimate has no range: what is expected is drawn alone.
	Unranged bool
}

// ProspectDay is the estimate of what the days up to this one will have brought.
type ProspectDay struct{ Expected, Low, High decimal.Decimal }

// from returns the index of the first estimated day.
func (p Prospect) from() int { return len(p.Days) - len(p.Ahead) }

// at returns the estimate of day i. The day before the first estimated one is where the
// estimate begins: at what was earned.
func (p Prospect) at(i int) (ProspectDay, bool) {
	switch from := p.from(); {
	case i >= from:
		return p.Ahead[i-from], true
	case i == from-1 && i < len(p.Earned) && len(p.Ahead) > 0:
		return ProspectDay{p.Earned[i], p.Earned[i], p.Earned[i]}, true
	}
	return ProspectDay{}, false
}

// DrawProspect draws what was earned as a line. From there on, the expected sum is dashed
// within its filled range, and the estimated days have a grey ground.
func DrawProspect(p Prospect) Drawing {
	labels := still.DayLabels(p.Days)
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithGridOpts(opts.Grid{Left: "4", Right: "20", Top: "12", Bottom: "4", ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: labels}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	// The band has separate axes, so it does not stretch the scale.
	line.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: labels})
	line.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	n := len(p.Days)
	earned, expected := make([]opts.LineData, n), make([]opts.LineData, n)
	base, width, ahead := make([]opts.LineData, n), make([]opts.LineData, n), make([]opts.BarData, n)
	for i := range p.Days {
		earned[i].Value, expected[i].Value, base[i].Value, width[i].Value, ahead[i].Value = noValue, noValue, noValue, noValue, noValue
		if i < len(p.Earned) {
			earned[i].Value = drawn(p.Earned[i])
		}
		if e, ok := p.at(i); ok {
			expected[i].Value, base[i].Value, width[i].Value = drawn(e.Expected), drawn(e.Low), drawn(e.High.Sub(e.Low))
		}
		if i >= p.from() {
			ahead[i].Value = 1
		}
	}
	single := func(name, id string, data []opts.LineData) charts.SingleSeries {
		return charts.SingleSeries{Id: id, Name: name, Type: types.ChartLine, Symbol: "circle", SymbolSize: 5, ShowSymbol: opts.Bool(n == 1), Data: data}
	}
	filled, below := single("Range", gapID, width), single("Low", gapBaseID, base)
	filled.Stack, filled.AreaStyle, below.Stack = gapID, &opts.AreaStyle{}, gapID
	line.MultiSeries = append(line.MultiSeries, single("Earned", "", earned), single("Expected (estimate)", referenceID, expected), below, filled,
		charts.SingleSeries{Id: missingID, Name: "Estimated days", Type: types.ChartBar, XAxisIndex: barPanel, YAxisIndex: barPanel, BarWidth: "100%", Data: ahead})
	return Drawing{Option: line.JSON(), Tips: p.tips()}
}

func (p Prospect) tips() []Tip {
	tips := make([]Tip, len(p.Days))
	for i, day := range p.Days {
		tips[i] = Tip{Title: day.Format(tipDay), Values: []string{unknown, unknown}}
		if i < len(p.Earned) {
			tips[i].Values[0] = affiliate.Amount{Value: p.Earned[i], Coin: p.Coin}.String()
		}
		if i >= p.from() {
			e, _ := p.at(i)
			tips[i].Title += " · estimate" + p.between(": ", e)
			tips[i].Values[1] = "about " + p.Rough(e.Expected) + " " + string(p.Coin)
		}
	}
	return tips
}

// between names the range after a separator, or nothing if there is none.
func (p Prospect) between(separator string, e ProspectDay) string {
	if p.Unranged {
		return ""
	}
	return separator + "between " + p.Rough(e.Low) + " and " + p.Rough(e.High)
}

// DescribeProspect describes the chart in words for users who do not see it.
func DescribeProspect(p Prospect) string {
	if len(p.Days) == 0 {
		return "No days to draw."
	}
	text := fmt.Sprintf("Commission from %s to %s, added up.", p.Days[0].Format(tipDay), p.Days[len(p.Days)-1].Format(tipDay))
	if n := len(p.Earned); n > 0 {
		text += " Earned so far: " + affiliate.Amount{Value: p.Earned[n-1], Coin: p.Coin}.String() + "."
	}
	if n := len(p.Ahead); n > 0 {
		end := p.Ahead[n-1]
		text += fmt.Sprintf(" Estimate of the end: about %s %s%s.", p.Rough(end.Expected), p.Coin, p.between(", ", end))
	}
	return text + " The table below holds every figure."
}

// StillProspect is the server-side counterpart of [DrawProspect].
func StillProspect(p Prospect) still.Chart {
	n := len(p.Days)
	if n == 0 {
		return still.Chart{}
	}
	var low, high float64
	for _, v := range p.Earned {
		low, high = min(low, drawn(v)), max(high, drawn(v))
	}
	for _, e := range p.Ahead {
		low, high = min(low, drawn(e.Low)), max(high, drawn(e.High))
	}
	var s still.Chart
	on := s.FromZero(0, still.Side, low, high)
	s.Label(still.DayLabels(p.Days))
	if len(p.Ahead) > 0 {
		from := still.Left(p.from(), n)
		s.Shade(from, still.Side)
		s.Lines = append(s.Lines, still.Line{Class: gapID, Path: p.band(on)})
	}
	s.Curve(still.Class("line", 0), on, n, func(i int) (decimal.Decimal, bool) {
		if i >= len(p.Earned) {
			return decimal.Zero, false
		}
		return p.Earned[i], true
	})
	s.Curve(referenceID, on, n, func(i int) (decimal.Decimal, bool) {
		e, ok := p.at(i)
		return e.Expected, ok
	})
	return s
}

// band returns the outline of the range: forward along its upper end, and back along the
// lower one.
func (p Prospect) band(on still.Panel) string {
	n := len(p.Days)
	var path strings.Builder
	point := func(i int, v decimal.Decimal) {
		command := "L"
		if path.Len() == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%s %s", command, still.Coordinate(still.Middle(i, n)), still.Coordinate(on.Y(drawn(v))))
	}
	for i := range n {
		if e, ok := p.at(i); ok {
			point(i, e.High)
		}
	}
	for i := n - 1; i >= 0; i-- {
		if e, ok := p.at(i); ok {
			point(i, e.Low)
		}
	}
	return path.String() + "z"
}
