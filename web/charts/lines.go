package charts

import (
	"fmt"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

// The panels of Lines: the bars are drawn below the lines, on a separate axis.
const (
	barPanel   = 1     // index of the lower grid and of its axes
	barsHeight = "32%" // of the chart
	barsRoom   = "42%" // the bars and the gap above them
)

// LineChart draws figures over time: lines on one axis and bars below them. At a step
// with unknown values the line is interrupted and the bar is missing.
func LineChart(l figures.Lines) Drawing {
	bars := slices.ContainsFunc(l.Parts, func(part figures.Curve) bool { return part.Bars })
	grids := []opts.Grid{{Left: "4", Right: "12", Top: "12", Bottom: "4", ContainLabel: opts.Bool(true)}}
	if bars {
		grids[0].Bottom = barsRoom
		grids = append(grids, opts.Grid{Left: "4", Right: "12", Height: barsHeight, Bottom: "4", ContainLabel: opts.Bool(true)})
	}
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithGridOpts(grids...),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: stepLabels(l.Steps)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	if bars {
		line.ExtendXAxis(opts.XAxis{Type: "category", GridIndex: barPanel, Data: stepLabels(l.Steps)})
		line.ExtendYAxis(opts.YAxis{Type: "value", GridIndex: barPanel, SplitNumber: 2, MinInterval: 1})
	}
	for _, part := range l.Parts {
		if part.Bars {
			line.MultiSeries = append(line.MultiSeries, barSeries(part))
		} else {
			line.MultiSeries = append(line.MultiSeries, lineSeries(part))
		}
	}
	return Drawing{Option: line.JSON(), Tips: lineTips(l)}
}

func barSeries(part figures.Curve) charts.SingleSeries {
	data := make([]opts.BarData, len(part.Values))
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if !part.IsKnown(i) {
			data[i].Value = noValue
		}
	}
	return charts.SingleSeries{
		Name: part.Name, Type: types.ChartBar, XAxisIndex: barPanel, YAxisIndex: barPanel,
		BarMaxWidth: "10", BarGap: "10%", BarCategoryGap: "25%", Data: data,
	}
}

// A point with unknown neighbours would not show as a line, so such points are marked;
// so are all points of short lines.
func lineSeries(part figures.Curve) charts.SingleSeries {
	data := make([]opts.LineData, len(part.Values))
	lonely := len(data) <= 31
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if !part.IsKnown(i) {
			data[i].Value = noValue
			lonely = true
		}
	}
	series := charts.SingleSeries{
		Name: part.Name, Type: types.ChartLine, Symbol: "circle", SymbolSize: 5,
		ShowSymbol: opts.Bool(lonely), Data: data,
	}
	if part.Compared {
		series.Id, series.ShowSymbol = referenceID, opts.Bool(len(data) == 1)
	}
	return series
}

func stepLabels(steps []affiliate.Days) []string {
	labels := make([]string, len(steps))
	for i, step := range steps {
		labels[i] = StepName(step)
	}
	return labels
}

// StepName returns the short name of a step: its month if the step is one, otherwise
// its first day.
func StepName(step affiliate.Days) string {
	_, _, first := step.First.Date()
	_, _, after := (step.Last + 1).Date()
	switch {
	case step.Len() > 27 && first == 1 && after == 1:
		return step.First.Format("Jan 2006")
	case step.Len() > 1:
		return step.First.Format("2 Jan 06")
	}
	return step.First.Format("2 Jan")
}

// StepWords returns a step in words.
func StepWords(step affiliate.Days) string { return spanWords(step) }

// LineValue returns a value in words, or a dash if it is unknown.
func LineValue(l figures.Lines, part figures.Curve, i int) string {
	switch {
	case !part.IsKnown(i):
		return unknown
	case l.Unit == "":
		return affiliate.Grouped(part.Values[i].String())
	case l.Unit == "%":
		return affiliate.Grouped(part.Values[i].String()) + " %"
	}
	return affiliate.Amount{Value: part.Values[i], Coin: affiliate.Coin(l.Unit)}.String()
}

func lineTips(l figures.Lines) []Tip {
	tips := make([]Tip, len(l.Steps))
	for i, step := range l.Steps {
		tips[i] = Tip{Title: spanWords(step), Values: []string{}}
		for _, part := range l.Parts {
			tips[i].Values = append(tips[i].Values, LineValue(l, part, i))
		}
	}
	return tips
}

// DescribeLines describes the lines in words.
func DescribeLines(l figures.Lines) string {
	if len(l.Steps) == 0 {
		return "Nothing to draw."
	}
	text := fmt.Sprintf("%s from %s to %s.", l.Of, l.Steps[0].First.Format(plain), l.Steps[len(l.Steps)-1].Last.Format(plain))
	for _, part := range l.Parts {
		if best, ok := highest(part); ok {
			text += fmt.Sprintf(" %s: highest %s, in %s.", part.Name, LineValue(l, part, best), spanWords(l.Steps[best]))
		} else {
			text += " " + part.Name + ": nothing known."
		}
	}
	return text + " The table below holds every figure."
}

func highest(part figures.Curve) (best int, ok bool) {
	var most decimal.Decimal
	for i, v := range part.Values {
		if part.IsKnown(i) && (!ok || v.GreaterThan(most)) {
			best, most, ok = i, v, true
		}
	}
	return best, ok
}
