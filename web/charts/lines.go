package charts

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
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
			line.MultiSeries = append(line.MultiSeries, barSeries(l, part))
		} else {
			line.MultiSeries = append(line.MultiSeries, lineSeries(l, part))
		}
	}
	// After all others: those are coloured by their order.
	for i, part := range l.Parts {
		if last, running := runningStep(l, part); running {
			line.MultiSeries = append(line.MultiSeries, soFarSeries(part, i, last))
		}
	}
	return Drawing{Option: line.JSON(), Tips: lineTips(l)}
}

// runningStep returns the step of a line that is not over. Its value is drawn by a dashed piece of
// the line: it may still grow.
func runningStep(l figures.Lines, part figures.Curve) (step int, running bool) {
	if part.Bars || part.Compared {
		return 0, false
	}
	for i := range part.Values {
		if l.IsRunning(i) && part.IsKnown(i) {
			return i, true
		}
	}
	return 0, false
}

// soFarID is the beginning of the identifier of a dashed piece; the number of its line follows.
const soFarID = "so-far-"

// soFarSeries is the piece of a line that leads to the step that is not over.
func soFarSeries(part figures.Curve, number, step int) charts.SingleSeries {
	data := make([]opts.LineData, len(part.Values))
	for i := range data {
		data[i].Value = noValue
	}
	data[step] = opts.LineData{Value: drawn(part.Values[step]), Symbol: "circle", SymbolSize: 5}
	if step > 0 && part.IsKnown(step-1) {
		data[step-1] = opts.LineData{Value: drawn(part.Values[step-1]), Symbol: "none"}
	}
	return charts.SingleSeries{
		Id: soFarID + strconv.Itoa(number), Name: part.Name, Type: types.ChartLine, ShowSymbol: opts.Bool(true), Data: data,
	}
}

func barSeries(l figures.Lines, part figures.Curve) charts.SingleSeries {
	data := make([]opts.BarData, len(part.Values))
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if !part.IsKnown(i) {
			data[i].Value = noValue
		}
		if l.IsRunning(i) {
			data[i].ItemStyle = &opts.ItemStyle{Opacity: opts.Float(soFar)}
		}
	}
	return charts.SingleSeries{
		Name: part.Name, Type: types.ChartBar, XAxisIndex: barPanel, YAxisIndex: barPanel,
		BarMaxWidth: "10", BarGap: "10%", BarCategoryGap: "25%", Data: data,
	}
}

// A point with unknown neighbours would not show as a line, so such points are marked;
// so are all points of short lines.
func lineSeries(l figures.Lines, part figures.Curve) charts.SingleSeries {
	data := make([]opts.LineData, len(part.Values))
	lonely := len(data) <= 31
	last, running := runningStep(l, part)
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if !part.IsKnown(i) {
			data[i].Value = noValue
			lonely = true
		} else if running && i == last {
			data[i].Value = noValue // see soFarSeries
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
		if l.IsRunning(i) {
			tips[i].Title += " · so far"
		}
		for _, part := range l.Parts {
			words := LineValue(l, part, i)
			if part.Compared && part.IsKnown(i) && l.RefSteps != nil {
				words += ", " + spanWords(l.RefSteps[i]) + lineChange(l, part, i)
			}
			tips[i].Values = append(tips[i].Values, words)
		}
	}
	return tips
}

// lineChange compares the first line with its reference, except at a step that is not over. Shares
// have no change in percent.
func lineChange(l figures.Lines, reference figures.Curve, i int) string {
	if now := l.Parts[0]; l.Unit != "%" && now.IsKnown(i) && !l.IsRunning(i) {
		return " · " + phrase.Change(figures.ChangeOf("", now.Values[i], reference.Values[i])).String()
	}
	return ""
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
	if l.AnyRunning() {
		text += " The last step is not over."
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
