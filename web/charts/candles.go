package charts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/market"
	"rebatedesk/reports/still"
)

// Identifiers of the series of a chart of candles.
const (
	candlesID = "candles"
	volumeID  = "volume"
	boughtID  = "bought"
	soldID    = "sold"
)

// Candles is a chart of prices.
type Candles struct {
	Of       string // the pair
	Interval market.Interval
	Slots    []market.Slot
	Zone     *time.Location
	Last     affiliate.Number // drawn as a line; unknown: none
	Lines    []PriceLine
	Marks    []PriceMark
	Averages []PriceAverage
	Tick     affiliate.Number // of which prices are multiples
	Coin     string           // of prices
}

// PriceAverage is a moving average that is drawn over the candles or their volumes.
type PriceAverage struct {
	ID       string // of its series and of its look
	Words    string
	OfVolume bool
	Values   []affiliate.Number // of each slot
}

// Numbers of candles of the averages of prices, and of the average of volumes.
const (
	shortAverage  = 20
	longAverage   = 50
	volumeAverage = 20
)

// AverageIDs are the ids of the averages that charts may have.
var AverageIDs = []string{"average-short", "average-long", "average-volume"}

// SlotsBefore is how many slots before the first one that is drawn the averages take.
const SlotsBefore = longAverage - 1

// AveragesOf computes the averages of a chart from its slots and the [SlotsBefore] before them.
func AveragesOf(slots []market.Slot) []PriceAverage {
	end := func(s market.Slot) affiliate.Number { return s.Close }
	volume := func(s market.Slot) affiliate.Number { return s.Volume }
	return []PriceAverage{
		{ID: "average-short", Words: fmt.Sprintf("average of %d", shortAverage), Values: market.MovingAverages(slots, shortAverage, end)},
		{ID: "average-long", Words: fmt.Sprintf("average of %d", longAverage), Values: market.MovingAverages(slots, longAverage, end)},
		{ID: "average-volume", Words: fmt.Sprintf("average volume of %d", volumeAverage), OfVolume: true, Values: market.MovingAverages(slots, volumeAverage, volume)},
	}
}

// Any reports whether the average is known somewhere.
func (a PriceAverage) Any() bool {
	return slices.ContainsFunc(a.Values, affiliate.Number.Known)
}

// Part returns the chart of some of its slots, the end not included.
func (c Candles) Part(from, to int) Candles {
	c.Slots, c.Averages = c.Slots[from:to], slices.Clone(c.Averages)
	for i := range c.Averages {
		c.Averages[i].Values = c.Averages[i].Values[from:to]
	}
	return c
}

// PriceLine is a price that is drawn across the chart, such as that of an open order.
type PriceLine struct {
	Price affiliate.Number
	Words string
	Side  string // buy, sell, or empty
	Order string // id of the open order, if it is one
}

// PriceMark is a trade of our own.
type PriceMark struct {
	At    affiliate.Millis
	Price affiliate.Number
	Side  string // buy or sell
	Words string
}

// CrossLine is a line of a [Drawing] across the chart.
type CrossLine struct {
	At    float64 `json:"at"`
	Words string  `json:"words"`
	Side  string  `json:"side"`
	Order string  `json:"order,omitempty"` // id of the open order that it shows
}

// volumes reports whether the candles have volumes: those made of prices have none.
func (c Candles) volumes() bool {
	for _, s := range c.Slots {
		if s.Volume.Known() {
			return true
		}
	}
	return false
}

// Any reports whether there is a candle to draw.
func (c Candles) Any() bool {
	for _, s := range c.Slots {
		if s.Traded() {
			return true
		}
	}
	return false
}

// DrawCandles draws prices as candles, volumes below them, and a grey band behind times
// whose trades may be missing.
func DrawCandles(c Candles) Drawing {
	labels := c.labels()
	// The panels end at the same distance from the edge, so that their steps are aligned.
	grids := []opts.Grid{{Left: "8", Right: "84", Top: "12", Bottom: "24"}}
	if c.volumes() {
		grids[0].Bottom = "26%"
		grids = append(grids, opts.Grid{Left: "8", Right: "84", Height: "16%", Bottom: "24"})
	}
	k := charts.NewKLine()
	k.SetGlobalOptions(
		charts.WithGridOpts(grids...),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithXAxisOpts(opts.XAxis{Type: "category", Data: labels, AxisLabel: &opts.AxisLabel{Show: opts.Bool(!c.volumes())}}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", SplitNumber: 5, Scale: opts.Bool(true), Position: "right"}),
	)
	k.ExtendXAxis(opts.XAxis{Type: "category", Show: opts.Bool(false), Data: labels})
	k.ExtendYAxis(opts.YAxis{Type: "value", Show: opts.Bool(false), Min: 0, Max: 1})
	if c.volumes() {
		k.ExtendXAxis(opts.XAxis{Type: "category", GridIndex: 1, Data: labels})
		// The topmost label would touch the lowest price on a phone.
		label := opts.AxisLabel{Show: opts.Bool(true), ShowMaxLabel: opts.Bool(false)}
		k.ExtendYAxis(opts.YAxis{Type: "value", GridIndex: 1, SplitNumber: 2, Position: "right", AxisLabel: &label})
	}
	k.MultiSeries = append(k.MultiSeries, c.candleSeries(), c.markSeries(boughtID, "buy"), c.markSeries(soldID, "sell"), c.gapSeries())
	if c.volumes() {
		k.MultiSeries = append(k.MultiSeries, c.volumeSeries())
	}
	for _, a := range c.Averages {
		if !a.OfVolume || c.volumes() {
			k.MultiSeries = append(k.MultiSeries, a.series())
		}
	}
	drawing := Drawing{Option: k.JSON(), Tips: c.tips(), Levels: c.Levels(), Step: c.Interval.Length.Milliseconds(), Tick: string(c.Tick), Coin: c.Coin}
	if len(c.Slots) > 0 {
		drawing.Start = int64(c.Slots[0].Start)
	}
	return drawing
}

// Levels returns the lines across the chart.
func (c Candles) Levels() (levels []CrossLine) {
	if c.Last.Known() {
		levels = append(levels, CrossLine{At: drawn(c.Last.Decimal()), Words: affiliate.Grouped(string(c.Last)), Side: "last"})
	}
	for _, l := range c.Lines {
		if l.Price.Known() {
			levels = append(levels, CrossLine{At: drawn(l.Price.Decimal()), Words: l.Words, Side: l.Side, Order: l.Order})
		}
	}
	return levels
}

func (c Candles) labels() []string {
	form := "2 Jan 15:04"
	switch {
	case c.Interval.Length >= 24*time.Hour:
		form = "2 Jan"
	case c.Interval.Length < time.Hour && len(c.Slots) > 0 && c.Interval.Length*time.Duration(len(c.Slots)) <= 24*time.Hour:
		form = "15:04"
	}
	labels := make([]string, len(c.Slots))
	for i, s := range c.Slots {
		labels[i] = s.Start.Time().In(c.zone()).Format(form)
	}
	return labels
}

// zone is the zone of the labels; days are UTC days.
func (c Candles) zone() *time.Location {
	if c.Interval.Length >= 24*time.Hour {
		return time.UTC
	}
	return c.Zone
}

// CandleValues returns a candle in the order of ECharts: open, close, low, high.
func CandleValues(s market.Slot) any {
	if !s.Traded() {
		return noValue
	}
	return [4]float64{drawn(s.Open.Decimal()), drawn(s.Close.Decimal()), drawn(s.Low.Decimal()), drawn(s.High.Decimal())}
}

// VolumeValue returns the volume of a candle.
func VolumeValue(s market.Slot) any {
	if !s.Volume.Known() {
		return noValue
	}
	return drawn(s.Volume.Decimal())
}

func (c Candles) candleSeries() charts.SingleSeries {
	data := make([]opts.KlineData, len(c.Slots))
	for i, s := range c.Slots {
		data[i].Value = CandleValues(s)
	}
	return charts.SingleSeries{Id: candlesID, Name: "Price", Type: types.ChartKline, Data: data}
}

func (c Candles) volumeSeries() charts.SingleSeries {
	data := make([]opts.BarData, len(c.Slots))
	for i, s := range c.Slots {
		data[i].Value = VolumeValue(s)
	}
	return charts.SingleSeries{Id: volumeID, Name: "Volume", Type: types.ChartBar, XAxisIndex: 2, YAxisIndex: 2, BarCategoryGap: "30%", Data: data}
}

func (a PriceAverage) series() charts.SingleSeries {
	data := make([]opts.LineData, len(a.Values))
	for i := range a.Values {
		data[i].Value = a.Drawn(i)
	}
	line := charts.SingleSeries{Id: a.ID, Name: a.Words, Type: types.ChartLine, Data: data}
	if a.OfVolume {
		line.XAxisIndex, line.YAxisIndex = 2, 2
	}
	return line
}

// Drawn returns the average at a slot as it is drawn.
func (a PriceAverage) Drawn(i int) any {
	if !a.Values[i].Known() {
		return noValue
	}
	return drawn(a.Values[i].Decimal())
}

func (c Candles) gapSeries() charts.SingleSeries {
	data := make([]opts.BarData, len(c.Slots))
	for i, s := range c.Slots {
		data[i].Value = noValue
		if s.Gap() {
			data[i].Value = 1
		}
	}
	return charts.SingleSeries{Id: missingID, Name: "Trades may be missing", Type: types.ChartBar,
		XAxisIndex: 1, YAxisIndex: 1, BarWidth: "100%", BarGap: "-100%", Data: data}
}

// markSeries draws our own trades of one side in their slots.
func (c Candles) markSeries(id, side string) charts.SingleSeries {
	data := []opts.ScatterData{}
	for _, m := range c.Marks {
		if i, ok := c.slotOf(m.At); ok && m.Side == side && m.Price.Known() {
			data = append(data, opts.ScatterData{Name: m.Words, Value: [2]float64{float64(i), drawn(m.Price.Decimal())}})
		}
	}
	return charts.SingleSeries{Id: id, Name: "Own " + side, Type: types.ChartScatter, Data: data}
}

func (c Candles) slotOf(at affiliate.Millis) (int, bool) {
	if len(c.Slots) == 0 || at < c.Slots[0].Start {
		return 0, false
	}
	i := int((at - c.Slots[0].Start) / affiliate.Millis(c.Interval.Length.Milliseconds()))
	return i, i < len(c.Slots)
}

// SlotTitle returns the time of a slot in words, with what may be missing in it.
func SlotTitle(c Candles, i int) string {
	s := c.Slots[i]
	title := s.Start.Time().In(c.zone()).Format("2 Jan 2006 15:04 MST")
	if s.State != market.SlotWhole {
		title += " · " + string(s.State)
	}
	for _, m := range c.Marks {
		if at, ok := c.slotOf(m.At); ok && at == i {
			title += "\n" + notedSign + " " + affiliate.OneLine(m.Words)
		}
	}
	return title
}

// SlotTip returns the tooltip of a slot.
func SlotTip(c Candles, i int) Tip {
	s := c.Slots[i]
	price, volume := "no trade", ""
	switch {
	case s.Traded():
		price = fmt.Sprintf("open %s, high %s, low %s, close %s", grouped(s.Open), grouped(s.High), grouped(s.Low), grouped(s.Close))
		volume = unknown
		if s.Volume.Known() {
			volume = grouped(s.Volume)
		}
	case s.State == market.SlotUnseen:
		price = unknown
	}
	tip := Tip{Title: SlotTitle(c, i), Values: []string{price, "", "", "", volume}}
	for _, a := range c.Averages {
		words := ""
		if a.Values[i].Known() {
			words = a.Words + " " + grouped(a.Values[i])
		}
		tip.Values = append(tip.Values, words)
	}
	return tip
}

func grouped(n affiliate.Number) string { return affiliate.Grouped(string(n)) }

func (c Candles) tips() []Tip {
	tips := make([]Tip, len(c.Slots))
	for i := range c.Slots {
		tips[i] = SlotTip(c, i)
	}
	return tips
}

// DescribeCandles describes the chart in words.
func DescribeCandles(c Candles) string {
	var first, last, high, low affiliate.Number
	gaps := 0
	for _, s := range c.Slots {
		if s.Gap() {
			gaps++
		}
		if !s.Traded() {
			continue
		}
		if !first.Known() {
			first, high, low = s.Open, s.High, s.Low
		}
		if s.High.Cmp(high) > 0 {
			high = s.High
		}
		if s.Low.Cmp(low) < 0 {
			low = s.Low
		}
		last = s.Close
	}
	if !first.Known() {
		return c.Of + ": no trade is kept of this time."
	}
	text := fmt.Sprintf("%s in %d candles of %s: from %s to %s, highest %s, lowest %s.", c.Of, len(c.Slots), c.Interval.Name,
		grouped(first), grouped(last), grouped(high), grouped(low))
	if gaps > 0 {
		text += fmt.Sprintf(" Trades may be missing in %d of them.", gaps)
	}
	return text + " The table below holds every figure."
}

// reach widens a range of prices by the lines across the chart that are no further from it than
// it is high. The script does the same. Lines further away would flatten the candles.
func (c Candles) reach(low, high float64) (float64, float64) {
	span := high - low
	wide, tall := low, high
	for _, l := range c.Levels() {
		if l.At >= low-span && l.At <= high+span {
			wide, tall = min(wide, l.At), max(tall, l.At)
		}
	}
	return wide, tall
}

// Outside returns the lines across the chart that are too far from its candles to be drawn.
func (c Candles) Outside() (lines []PriceLine) {
	var low, high decimal.Decimal
	seen := false
	for _, slot := range c.Slots {
		if !slot.Traded() {
			continue
		}
		l, h := slot.Low.Decimal(), slot.High.Decimal()
		if !seen {
			low, high, seen = l, h, true
		}
		low, high = decimal.Min(low, l), decimal.Max(high, h)
	}
	span := high.Sub(low)
	for _, l := range c.Lines {
		if seen && l.Price.Known() && (l.Price.Decimal().LessThan(low.Sub(span)) || l.Price.Decimal().GreaterThan(high.Add(span))) {
			lines = append(lines, l)
		}
	}
	return lines
}

// The panels of StillCandles; the lower one holds the volumes.
const candlesBottom = 0.74 * still.Side

// StillCandles is the server-side counterpart of [DrawCandles].
func StillCandles(c Candles) still.Chart {
	var s still.Chart
	low, high, most := 0.0, 0.0, 0.0
	seen := false
	for _, slot := range c.Slots {
		if !slot.Traded() {
			continue
		}
		l, h := drawn(slot.Low.Decimal()), drawn(slot.High.Decimal())
		if !seen {
			low, high, seen = l, h, true
		}
		low, high = min(low, l), max(high, h)
		if slot.Volume.Known() {
			most = max(most, drawn(slot.Volume.Decimal()))
		}
	}
	if !seen {
		return s
	}
	low, high = c.reach(low, high)
	for _, a := range c.Averages {
		for _, v := range a.Values {
			if v.Known() && !a.OfVolume {
				low, high = min(low, drawn(v.Decimal())), max(high, drawn(v.Decimal()))
			}
		}
	}
	n := len(c.Slots)
	bottom := float64(still.Side)
	var lower still.Panel
	if most > 0 {
		bottom = candlesBottom
		lower = still.Panel{Top: 0.82 * still.Side, Bottom: still.Side, Low: 0, High: most}
	}
	upper := s.Within(0, bottom, low, high)
	s.Label(c.labels())
	var ups, downs, volumes strings.Builder
	from, width := 0.15*still.Left(1, n), 0.7*still.Left(1, n)
	for i, slot := range c.Slots {
		if slot.Gap() {
			s.Shade(still.Left(i, n), still.Left(i+1, n))
		}
		if !slot.Traded() {
			continue
		}
		open, end := drawn(slot.Open.Decimal()), drawn(slot.Close.Decimal())
		path := &ups
		if end < open {
			path = &downs
		}
		x := still.Left(i, n)
		fmt.Fprintf(path, "M%s %sV%s", still.Coordinate(still.Middle(i, n)), still.Coordinate(upper.Y(drawn(slot.High.Decimal()))), still.Coordinate(upper.Y(drawn(slot.Low.Decimal()))))
		top, foot := upper.Y(max(open, end)), upper.Y(min(open, end))
		still.Bar(path, x+from, width, max(foot, top+1), top)
		if slot.Volume.Known() && most > 0 {
			still.Bar(&volumes, x+from, width, lower.Y(0), lower.Y(drawn(slot.Volume.Decimal())))
		}
	}
	for _, l := range c.Levels() {
		if l.Side == "last" || l.At < low || l.At > high {
			continue
		}
		path := &ups
		if l.Side == "sell" {
			path = &downs
		}
		fmt.Fprintf(path, "M0 %sH%d", still.Coordinate(upper.Y(l.At)), still.Side)
	}
	s.Lines = append(s.Lines, still.Line{Class: "rise", Path: ups.String()}, still.Line{Class: "fall", Path: downs.String()}, still.Line{Class: "volume", Path: volumes.String()})
	for _, a := range c.Averages {
		if on := upper; !a.OfVolume || most > 0 {
			if a.OfVolume {
				on = lower
			}
			s.Curve(a.ID, on, n, func(i int) (decimal.Decimal, bool) {
				if !a.Values[i].Known() {
					return decimal.Zero, false
				}
				return a.Values[i].Decimal(), true
			})
		}
	}
	if c.Last.Known() {
		s.Lines = append(s.Lines, still.Line{Class: "last", Path: fmt.Sprintf("M0 %sH%d", still.Coordinate(upper.Y(drawn(c.Last.Decimal()))), still.Side)})
	}
	return s
}

// Spark is the path of a line of prices on a square of [still.Side] units, and whether it rises.
// It is interrupted where steps are missing.
func Spark(at []int, prices []affiliate.Number, n int) (path string, rises bool) {
	if len(prices) < 2 {
		return "", true
	}
	low, high := drawn(prices[0].Decimal()), drawn(prices[0].Decimal())
	for _, p := range prices {
		low, high = min(low, drawn(p.Decimal())), max(high, drawn(p.Decimal()))
	}
	if high == low {
		low, high = low-1, high+1
	}
	p := still.Panel{Top: 0.06 * still.Side, Bottom: 0.94 * still.Side, Low: low, High: high}
	var b strings.Builder
	for i, price := range prices {
		x, y := still.Coordinate(still.Side*float64(at[i])/float64(max(1, n-1))), still.Coordinate(p.Y(drawn(price.Decimal())))
		if i > 0 && at[i] == at[i-1]+1 {
			fmt.Fprintf(&b, "L%s %s", x, y)
		} else {
			fmt.Fprintf(&b, "M%s %sh0", x, y)
		}
	}
	return b.String(), prices[len(prices)-1].Cmp(prices[0]) >= 0
}
