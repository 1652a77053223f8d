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

// Running are what was earned and paid of one coin, added up from the first day on. The gap
// between the two is money that has not arrived.
type Running struct {
	Coin   affiliate.Coin
	Days   []affiliate.Day // consecutive
	Earned []decimal.Decimal
	Paid   []decimal.Decimal
	Open   []bool // the day has a payment that is not due yet, or not collected
}

// Gap returns Paid − Earned at the end of day i.
func (r Running) Gap(i int) decimal.Decimal { return r.Paid[i].Sub(r.Earned[i]) }

// Identifiers of the two series that fill the gap: an invisible one up to the lower line, and
// the filled one on top of it.
const (
	gapBaseID = "gap-base"
	gapID     = "gap"
)

// differencesID is the series of bars below: what was paid too little, and too much.
const differencesID = "differences"

// bandAxis is the index of the hidden axes on which the bands of open days are drawn.
const bandAxis = 2

// DrawRunning draws both sums as lines, with the gap between them filled and a grey band
// behind the open days. Beside large sums the gap is thin, so bars below show it on an axis of
// its own.
func DrawRunning(r Running) Drawing {
	labels := still.DayLabels(r.Days)
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithGridOpts(
			opts.Grid{Left: "4", Right: "20", Top: "12", Bottom: barsRoom, ContainLabel: opts.Bool(true)},
			opts.Grid{Left: "4", Right: "20", Height: barsHeight, Bottom: "4", ContainLabel: opts.Bool(true)},
		),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: labels}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	line.ExtendXAxis(opts.XAxis{Type: "category", GridIndex: barPanel, Data: labels})
	line.ExtendYAxis(opts.YAxis{Type: "value", GridIndex: barPanel, SplitNumber: 2})
	// The bands have separate axes, so they do not stretch the scale.
	line.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: labels})
	line.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	open, gaps := make([]opts.BarData, len(r.Days)), make([]opts.BarData, len(r.Days))
	base, gap := make([]decimal.Decimal, len(r.Days)), make([]decimal.Decimal, len(r.Days))
	for i := range r.Days {
		if open[i].Value = noValue; r.Open[i] {
			open[i].Value = 1
		}
		gaps[i].Value = drawn(r.Gap(i))
		base[i], gap[i] = decimal.Min(r.Earned[i], r.Paid[i]), r.Gap(i).Abs()
	}
	filled := plainLine("Gap", gap)
	filled.Id, filled.Stack, filled.AreaStyle = gapID, gapID, &opts.AreaStyle{}
	below := plainLine("Both", base)
	below.Id, below.Stack = gapBaseID, gapID
	line.MultiSeries = append(line.MultiSeries, plainLine("Earned", r.Earned), plainLine("Paid", r.Paid), charts.SingleSeries{
		Id: differencesID, Name: "Paid − earned", Type: types.ChartBar, XAxisIndex: barPanel, YAxisIndex: barPanel, BarMaxWidth: "10", BarCategoryGap: "25%", Data: gaps,
	}, below, filled, charts.SingleSeries{
		Id: missingID, Name: "Not due or not collected", Type: types.ChartBar,
		XAxisIndex: bandAxis, YAxisIndex: bandAxis, BarWidth: "100%", Data: open,
	})
	return Drawing{Option: line.JSON(), Tips: r.tips()}
}

// plainLine is a line without marks, except if it is too short to be seen as one.
func plainLine(name string, values []decimal.Decimal) charts.SingleSeries {
	data := make([]opts.LineData, len(values))
	for i, v := range values {
		data[i].Value = drawn(v)
	}
	return charts.SingleSeries{
		Name: name, Type: types.ChartLine, Symbol: "circle", SymbolSize: 5, ShowSymbol: opts.Bool(len(values) == 1), Data: data,
	}
}

func (r Running) tips() []Tip {
	tips := make([]Tip, len(r.Days))
	for i, day := range r.Days {
		tips[i] = Tip{Title: day.Format(tipDay) + " · " + r.GapWords(i), Values: []string{r.amount(r.Earned[i]), r.amount(r.Paid[i]), r.amount(r.Gap(i))}}
		if r.Open[i] {
			tips[i].Title += " · not all due or collected"
		}
	}
	return tips
}

func (r Running) amount(v decimal.Decimal) string {
	return affiliate.Amount{Value: v, Coin: r.Coin}.String()
}

// GapWords says by how much the sums differ at the end of day i.
func (r Running) GapWords(i int) string {
	switch gap := r.Gap(i); gap.Sign() {
	case -1:
		return r.amount(gap.Neg()) + " more earned than paid"
	case 1:
		return r.amount(gap) + " more paid than earned"
	}
	return "all paid"
}

// ShortSince returns the day since which less is paid than was earned without a break, up to the last day
// of which all is due and collected; false if that day is paid.
func (r Running) ShortSince() (since affiliate.Day, by decimal.Decimal, short bool) {
	for i := len(r.Days) - 1; i >= 0; i-- {
		switch {
		case r.Open[i] && !short:
		case r.Gap(i).Sign() >= 0:
			return since, by, short
		case !short:
			since, by, short = r.Days[i], r.Gap(i).Neg(), true
		default:
			since = r.Days[i]
		}
	}
	return since, by, short
}

// DescribeRunning describes the chart in words for users who do not see it.
func DescribeRunning(r Running) string {
	if len(r.Days) == 0 {
		return "No days to draw."
	}
	last := len(r.Days) - 1
	return fmt.Sprintf("Earned and paid, added up from %s to %s: earned %s, paid %s, %s. The table below holds every figure.",
		r.Days[0].Format(tipDay), r.Days[last].Format(tipDay), r.amount(r.Earned[last]), r.amount(r.Paid[last]), r.GapWords(last))
}

// StillRunning is the server-side counterpart of [DrawRunning].
func StillRunning(r Running) still.Chart {
	n := len(r.Days)
	if n == 0 {
		return still.Chart{}
	}
	var low, high, least, most float64
	for i := range r.Days {
		gap := drawn(r.Gap(i))
		least, most = min(least, gap), max(most, gap)
		for _, v := range []float64{drawn(r.Earned[i]), drawn(r.Paid[i])} {
			low, high = min(low, v), max(high, v)
		}
	}
	var s still.Chart
	below := s.FromZero(barsTop, still.Side, least, most)
	on := s.FromZero(0, linesBottom, low, high)
	s.Label(still.DayLabels(r.Days))
	for i, open := range r.Open {
		if open {
			s.Shade(still.Left(i, n), still.Left(i+1, n))
		}
	}
	s.Lines = append(s.Lines, still.Line{Class: gapID, Path: r.between(on)})
	for part, values := range [][]decimal.Decimal{r.Earned, r.Paid} {
		s.Curve(still.Class("line", part), on, n, func(i int) (decimal.Decimal, bool) { return values[i], true })
	}
	s.Lines = append(s.Lines, still.Line{Class: "fall", Path: r.gapBars(below, -1)}, still.Line{Class: "rise", Path: r.gapBars(below, 1)})
	return s
}

// gapBars are the bars of the days on which the difference has a sign.
func (r Running) gapBars(on still.Panel, sign int) string {
	n := len(r.Days)
	from, width := still.BarIn(n)
	var path strings.Builder
	for i := range r.Days {
		if gap := drawn(r.Gap(i)); gap != 0 && r.Gap(i).Sign() == sign {
			still.Bar(&path, still.Left(i, n)+from, width, on.Y(0), on.Y(gap))
		}
	}
	return path.String()
}

// between returns the outline of the gap: forward along one line, and back along the other.
func (r Running) between(on still.Panel) string {
	n := len(r.Days)
	var path strings.Builder
	point := func(command string, i int, v decimal.Decimal) {
		fmt.Fprintf(&path, "%s%s %s", command, still.Coordinate(still.Middle(i, n)), still.Coordinate(on.Y(drawn(v))))
	}
	for i, v := range r.Earned {
		if i == 0 {
			point("M", i, v)
		} else {
			point("L", i, v)
		}
	}
	for i := n - 1; i >= 0; i-- {
		point("L", i, r.Paid[i])
	}
	return path.String() + "z"
}
