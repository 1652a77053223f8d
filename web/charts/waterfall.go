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

// Waterfall leads from one amount to another by steps that add up to the difference.
type Waterfall struct {
	Of    string // what the amounts are, e.g. "Commission"
	Coin  affiliate.Coin
	Steps []WaterfallStep
}

// WaterfallStep is one column of a waterfall.
type WaterfallStep struct {
	Name  string
	Short string // on the axis
	Whole bool   // the column stands for an amount and not for a change
	// Amount is the amount itself, or the change.
	Amount decimal.Decimal
	// Unsure says that the amount is not known completely.
	Unsure bool
}

// levels returns where the column of each step begins and ends.
func (w Waterfall) levels() (from, to []decimal.Decimal) {
	var level decimal.Decimal
	for _, step := range w.Steps {
		begin := level
		if step.Whole {
			begin, level = decimal.Zero, step.Amount
		} else {
			level = level.Add(step.Amount)
		}
		from, to = append(from, begin), append(to, level)
	}
	return from, to
}

// Identifiers of the series of a waterfall that the script styles: the columns, each with the
// colour of its tip, and invisible columns that lift them. They stand on each other.
const (
	flowsID = "flows"
	liftID  = "flows-lift"
)

// partOf returns the colour of a step: one for amounts, one for less and one for more.
func partOf(step WaterfallStep) int {
	switch {
	case step.Whole:
		return 0
	case step.Amount.IsNegative():
		return 1
	}
	return 2
}

// flowParts is the number of colours.
const flowParts = 3

// DrawWaterfall draws the columns on top of invisible ones. All are drawn from the lower end of
// a step to the upper one, so steps may cross zero.
func DrawWaterfall(w Waterfall) Drawing {
	labels := make([]string, len(w.Steps))
	lift, flows, missing := make([]opts.BarData, len(w.Steps)), make([]opts.BarData, len(w.Steps)), make([]opts.BarData, len(w.Steps))
	from, to := w.levels()
	for i, step := range w.Steps {
		labels[i] = step.Short
		lift[i].Value, flows[i].Value = drawn(decimal.Min(from[i], to[i])), drawn(to[i].Sub(from[i]).Abs())
		if missing[i].Value = noValue; step.Unsure {
			missing[i].Value = 1
		}
	}
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithGridOpts(opts.Grid{Left: "4", Right: "12", Top: "12", Bottom: "4", ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: labels, AxisLabel: &opts.AxisLabel{Interval: "0"}}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	bar.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: labels})
	bar.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	column := charts.SingleSeries{Type: types.ChartBar, Stack: flowsID, BarMaxWidth: "64", BarCategoryGap: "24%"}
	below, flow := column, column
	below.Id, below.Name, below.Data = liftID, "Below", lift
	flow.Id, flow.Name, flow.Data = flowsID, w.Of, flows
	bar.MultiSeries = append(bar.MultiSeries, below, flow, charts.SingleSeries{
		Id: missingID, Name: "Not collected completely", Type: types.ChartBar, XAxisIndex: 1, YAxisIndex: 1, BarWidth: "100%", Data: missing,
	})
	return Drawing{Option: bar.JSON(), Tips: w.tips()}
}

func (w Waterfall) tips() []Tip {
	tips := make([]Tip, len(w.Steps))
	for i, step := range w.Steps {
		tips[i] = Tip{Title: step.Name, Values: []string{"", w.Words(step)}, Part: partOf(step), Label: w.brief(step)}
	}
	return tips
}

// short prints the amount of a step without its coin.
func (w Waterfall) short(step WaterfallStep) string {
	text := affiliate.Amount{Value: step.Amount, Coin: w.Coin}.Short()
	if !step.Whole && step.Amount.IsPositive() {
		text = "+" + text
	}
	return text
}

// brief prints the amount of a step in few characters, to stand above its column.
func (w Waterfall) brief(step WaterfallStep) string {
	size := step.Amount.Abs()
	if w.Coin.Stable() && size.LessThan(decimal.NewFromInt(10_000)) {
		return w.short(step)
	}
	magnitude := int32(size.NumDigits()) + size.Exponent() // digits before the point
	text := still.Compact(drawn(step.Amount), int(max(0, briefDigits-magnitude)))
	if strings.Contains(text, ".") && magnitude < briefDigits {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if !step.Whole && step.Amount.IsPositive() {
		text = "+" + text
	}
	return text
}

// briefDigits is the number of significant digits above a column.
const briefDigits = 4

// Words prints the amount of a step, with a sign if it is a change.
func (w Waterfall) Words(step WaterfallStep) string {
	text := strings.TrimSpace(w.short(step) + " " + string(w.Coin))
	if step.Unsure {
		text += ", not collected completely"
	}
	return text
}

// DescribeWaterfall describes the chart in words for users who do not see it.
func DescribeWaterfall(w Waterfall) string {
	var parts []string
	for _, step := range w.Steps {
		parts = append(parts, step.Name+" "+w.Words(step))
	}
	return fmt.Sprintf("%s step by step: %s. The table below holds every figure.", w.Of, strings.Join(parts, ", "))
}

// StillWaterfall is the server-side counterpart of [DrawWaterfall].
func StillWaterfall(w Waterfall) still.Chart {
	n := len(w.Steps)
	if n == 0 {
		return still.Chart{}
	}
	from, to := w.levels()
	var low, high float64
	for i := range w.Steps {
		for _, v := range []float64{drawn(from[i]), drawn(to[i])} {
			low, high = min(low, v), max(high, v)
		}
	}
	var s still.Chart
	on := s.FromZero(0, still.Side, low, high)
	labels := make([]string, n)
	for i, step := range w.Steps {
		labels[i] = step.Short
		if step.Unsure {
			s.Shade(still.Left(i, n), still.Left(i+1, n))
		}
	}
	s.Label(labels)
	var paths [flowParts]strings.Builder
	inset, width := still.BarIn(n)
	for i, step := range w.Steps {
		still.Bar(&paths[partOf(step)], still.Left(i, n)+inset, width, on.Y(drawn(from[i])), on.Y(drawn(to[i])))
	}
	for part := range paths {
		s.Lines = append(s.Lines, still.Line{Class: still.Class("bar", part), Path: paths[part].String()})
	}
	return s
}
