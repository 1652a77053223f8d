package charts

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// Ids by which the script gives series their look; parts go by their order.
const (
	referenceID = "reference"
	missingID   = "missing"
)

// noValue is what ECharts takes for "there is nothing to draw".
const noValue = "-"

// Drawing is what the script draws from: an ECharts option, and for each point
// of the x axis what its tooltip says.
type Drawing struct {
	Option map[string]any `json:"option"`
	Tips   []Tip          `json:"tips"`
}

// Tip is the tooltip of one day: its first line, and the value of each series
// in the order of the option.
type Tip struct {
	Title  string   `json:"title"`
	Values []string `json:"values"`
}

// Daily draws commission per day: the parts as stacked columns, the compared
// period as a dashed line, days that are not collected as hatched bands.
func Daily(d reports.DailySeries) Drawing {
	bar := charts.NewBar()
	bar.SetGlobalOptions(
		charts.WithGridOpts(opts.Grid{Left: "4", Right: "4", Top: "12", Bottom: "4", ContainLabel: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithAriaOpts(&opts.Aria{Enabled: opts.Bool(true), Label: &opts.AriaLabel{Description: Describe(d)}}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: dayLabels(d.Days)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 4}),
	)
	// The bands have axes of their own, so that they neither share the width
	// of a day with the columns nor stretch the scale.
	bar.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: dayLabels(d.Days)})
	bar.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	for _, part := range d.Parts {
		bar.MultiSeries = append(bar.MultiSeries, partSeries(d, part))
	}
	if d.Reference != nil {
		bar.MultiSeries = append(bar.MultiSeries, referenceSeries(d))
	}
	bar.MultiSeries = append(bar.MultiSeries, missingSeries(d))
	return Drawing{Option: bar.JSON(), Tips: tips(d)}
}

func dayLabels(days []affiliate.Day) []string {
	form := "2 Jan"
	if len(days) > 300 {
		form = "2 Jan 06"
	}
	labels := make([]string, len(days))
	for i, day := range days {
		labels[i] = day.Format(form)
	}
	return labels
}

func partSeries(d reports.DailySeries, part reports.SeriesPart) charts.SingleSeries {
	data := make([]opts.BarData, len(part.Values))
	for i, v := range part.Values {
		data[i].Value = drawn(v)
		if d.Unread(i) {
			data[i].Value = noValue
		}
	}
	return charts.SingleSeries{
		Name: part.Name, Type: types.ChartBar, Stack: "commission",
		BarMaxWidth: "28", BarCategoryGap: "28%", Data: data,
	}
}

func referenceSeries(d reports.DailySeries) charts.SingleSeries {
	data := make([]opts.LineData, len(d.Days))
	for i := range data {
		data[i].Value = noValue
		if i < len(d.Reference) && d.RefKnown[i] {
			data[i].Value = drawn(d.Reference[i])
		}
	}
	return charts.SingleSeries{
		Id: referenceID, Name: "Compared", Type: types.ChartLine,
		ShowSymbol: opts.Bool(false), Symbol: "none", Data: data,
	}
}

func missingSeries(d reports.DailySeries) charts.SingleSeries {
	data := make([]opts.BarData, len(d.Days))
	for i := range data {
		data[i].Value = noValue
		if d.Unread(i) {
			data[i].Value = 1
		}
	}
	return charts.SingleSeries{
		Id: missingID, Name: "Not collected", Type: types.ChartBar,
		XAxisIndex: 1, YAxisIndex: 1, BarWidth: "100%", Data: data,
	}
}

// drawn is a value as a place on the screen, where a float is exact enough.
func drawn(v decimal.Decimal) float64 {
	f, _ := v.Float64()
	return f
}
