package charts

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/still"
)

// Identifiers by which the script styles series; parts are styled by their order.
const (
	referenceID = "reference"
	missingID   = "missing"
	notedID     = "noted"
	notedDotsID = "noted-dots"
)

// soFar is the opacity of a column whose day is not over: it may still grow.
const soFar = 0.5

// noValue is the value that ECharts reads as "draw nothing".
const noValue = "-"

// Drawing is the input of the script: an ECharts option and the tooltip of each point
// on the x axis.
type Drawing struct {
	Option map[string]any `json:"option"`
	Tips   []Tip          `json:"tips"`
	Levels []CrossLine    `json:"levels,omitempty"` // of a chart of prices
	Start  int64          `json:"start,omitempty"`  // of its first candle, in milliseconds
	Step   int64          `json:"step,omitempty"`   // length of a candle, in milliseconds
	Tick   string         `json:"tick,omitempty"`   // of which its prices are multiples; empty: not known
	Coin   string         `json:"coin,omitempty"`   // of its prices
}

// Tip is the tooltip of one column: its first line, and the value of each
// series in the order of the option.
type Tip struct {
	Title  string   `json:"title"`
	Values []string `json:"values"`
	Label  string   `json:"label,omitempty"` // above the column of a waterfall
	Part   int      `json:"part,omitempty"`  // colour of the column of a waterfall
	From   string   `json:"from,omitempty"`  // first day of a column of days
	To     string   `json:"to,omitempty"`    // its last day
}

// plot is a series prepared for drawing.
type plot struct{ still.Columns }

func plotOf(d figures.DailySeries) plot { return plot{still.ColumnsOf(d)} }

// DrawDaily draws commission per day, or per week for long ranges: the parts as stacked
// columns, the compared period as a dashed line, and a grey band behind days that
// are not collected or collected only in part.
func DrawDaily(d figures.DailySeries) Drawing {
	p := plotOf(d)
	labels := p.Labels()
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithGridOpts(opts.Grid{Left: "4", Right: "20", Top: "12", Bottom: "4", ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: labels}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	// The bands have separate axes, so they neither share the width of a day with the
	// columns nor stretch the scale.
	bar.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: labels})
	bar.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	for _, part := range p.Parts {
		bar.MultiSeries = append(bar.MultiSeries, p.partSeries(part))
	}
	if p.Reference != nil {
		bar.MultiSeries = append(bar.MultiSeries, p.referenceSeries())
	}
	bar.MultiSeries = append(bar.MultiSeries, p.missingSeries())
	if len(p.Annotations) > 0 {
		bar.MultiSeries = append(bar.MultiSeries, p.notedSeries()...)
	}
	return Drawing{Option: bar.JSON(), Tips: p.tips()}
}

func (p plot) partSeries(part figures.SeriesPart) charts.SingleSeries {
	data := make([]opts.BarData, len(part.Values))
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if !p.State[i].Tells(v) {
			data[i].Value = noValue
		}
		if p.State[i] == coverage.DayRunning {
			data[i].ItemStyle = &opts.ItemStyle{Opacity: opts.Float(soFar)}
		}
	}
	return charts.SingleSeries{
		Name: part.Name, Type: types.ChartBar, Stack: "commission",
		BarMaxWidth: "28", BarCategoryGap: "28%", Data: data,
	}
}

func (p plot) referenceSeries() charts.SingleSeries {
	data := make([]opts.LineData, len(p.Days))
	for i := range data {
		data[i].Value = noValue
		if i < len(p.Reference) && p.RefKnown[i] {
			data[i].Value = drawn(p.Reference[i])
		}
	}
	return charts.SingleSeries{
		Id: referenceID, Name: "Compared", Type: types.ChartLine,
		ShowSymbol: opts.Bool(len(data) == 1), Symbol: "circle", SymbolSize: 5, Data: data,
	}
}

func (p plot) missingSeries() charts.SingleSeries {
	data := make([]opts.BarData, len(p.Days))
	for i := range data {
		data[i].Value = noValue
		if p.State[i].Doubtful() {
			data[i].Value = 1
		}
	}
	return charts.SingleSeries{
		Id: missingID, Name: "Not collected", Type: types.ChartBar,
		XAxisIndex: 1, YAxisIndex: 1, BarWidth: "100%", BarGap: "-100%", Data: data,
	}
}

// drawn converts a value to a float, which is exact enough for a position on the
// screen.
func drawn(v decimal.Decimal) float64 {
	f, _ := v.Float64()
	return f
}
