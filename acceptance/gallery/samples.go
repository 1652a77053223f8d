// Package gallery shows the components of pages, each in each of its states.
package gallery

import (
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/still"
	"rebatedesk/store/annotations"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/ui"
)

// The samples are about four weeks of a year that is over, so that they are the same whenever the
// page is opened.
var (
	first = affiliate.NewDay(2025, time.October, 6)
	days  = affiliate.Days{First: first, Last: first + 27}
)

// named is a component in one of its states.
type named[T any] struct {
	Name  string
	State T
}

// wave returns sample values that rise and fall through the weeks.
func wave(height, step int64) []decimal.Decimal {
	values := make([]decimal.Decimal, days.Len())
	for i := range values {
		week := []int64{8, 9, 7, 10, 12, 5, 4}[(int64(i)+step)%7]
		values[i] = decimal.New(height*week*(20+int64(i)), -2)
	}
	return values
}

// columns are sample columns with the given number of parts.
func columns(parts int) figures.DailySeries {
	d := figures.DailySeries{Coin: "USDT", Total: make([]decimal.Decimal, days.Len())}
	names := []string{"Futures", "Spot", "Margin", "Earn", "Copy trading", "Bots", "Loans", "Others"}
	for i := range days.Len() {
		d.Days, d.State = append(d.Days, days.First+affiliate.Day(i)), append(d.State, coverage.DayCollected)
	}
	for part := range parts {
		values := wave(int64(120/(part+1)), int64(part))
		d.Parts = append(d.Parts, figures.SeriesPart{Name: names[part], Values: values})
		for i, v := range values {
			d.Total[i] = d.Total[i].Add(v)
		}
	}
	return d
}

// eight has as many parts as there are colours.
func eight() ui.Chart { return chart("eight", columns(still.Looks)) }

// states has a column in each state of its day, a compared period and an annotation.
func states() ui.Chart {
	d := columns(2)
	d.State[4], d.State[5], d.State[11] = coverage.DayMissing, coverage.DayMissing, coverage.DayPartial
	d.State[27] = coverage.DayRunning
	for i := range d.Days {
		d.Reference = append(d.Reference, d.Total[(i+3)%28].Mul(decimal.New(9, -1)))
		d.RefDays, d.RefKnown = append(d.RefDays, d.Days[i]-28), append(d.RefKnown, true)
	}
	d.Annotations = []annotations.Annotation{{Days: affiliate.Days{First: first + 15, Last: first + 15}, Words: "Campaign in two channels", Author: "demo"}}
	return chart("states", d)
}

func chart(id string, d figures.DailySeries) ui.Chart {
	return ui.Chart{ID: id, Label: charts.DescribeDaily(d), Still: still.Daily(d), Data: charts.DrawDaily(d)}
}

// lines has a gap, and bars on a scale of their own.
func lines() ui.Chart {
	l := figures.Lines{Of: "Users per day"}
	known := make([]bool, days.Len())
	for i := range days.Len() {
		day := days.First + affiliate.Day(i)
		l.Steps = append(l.Steps, affiliate.Days{First: day, Last: day})
		known[i] = i < 9 || i > 11
	}
	l.Parts = []figures.Curve{{Name: "Active traders", Values: wave(9, 0), Known: known}, {Name: "Registered", Values: wave(1, 2), Bars: true}}
	return ui.Chart{ID: "lines", Label: charts.DescribeLines(l), Still: charts.StillLines(l), Data: charts.LineChart(l)}
}

// moved has each kind of column of a waterfall.
func moved() ui.Chart {
	w := charts.Waterfall{Of: "Commission", Coin: "USDT", Steps: []charts.WaterfallStep{
		{Name: "6 Sep – 5 Oct", Short: "Before", Whole: true, Amount: decimal.New(50823, -2)},
		{Name: "Volume", Short: "Volume", Amount: decimal.New(-9120, -2)},
		{Name: "Fee per volume", Short: "Fees", Amount: decimal.New(-3055, -2)},
		{Name: "Share of fees", Short: "Share", Amount: decimal.New(868, -2)},
		{Name: "6 Oct – 2 Nov", Short: "Now", Whole: true, Amount: decimal.New(39516, -2)},
	}}
	return ui.Chart{ID: "moved", Label: charts.DescribeWaterfall(w), Still: charts.StillWaterfall(w), Data: charts.DrawWaterfall(w)}
}

// running has a gap that opens.
func running() ui.Chart {
	r := charts.Running{Coin: "USDT"}
	var earned, paid decimal.Decimal
	for i, v := range wave(90, 0) {
		earned = earned.Add(v)
		if i < 18 {
			paid = earned
		}
		r.Days, r.Earned, r.Paid, r.Open = append(r.Days, first+affiliate.Day(i)), append(r.Earned, earned), append(r.Paid, paid), append(r.Open, i > 25)
	}
	return ui.Chart{ID: "running", Label: charts.DescribeRunning(r), Still: charts.StillRunning(r), Data: charts.DrawRunning(r)}
}

var changes = []named[figures.Change]{
	{"Rise", figures.Change{Kind: figures.ChangeUp, Percent: decimal.New(124, -1)}},
	{"Fall", figures.Change{Kind: figures.ChangeDown, Percent: decimal.New(-221, -1)}},
	{"Fall so far", figures.Change{Kind: figures.ChangeDown, Percent: decimal.New(-221, -1), Open: true}},
	{"Manifold", figures.Change{Kind: figures.ChangeUp, Percent: decimal.New(135508, -1)}},
	{"Same", figures.Change{Kind: figures.ChangeSame}},
	{"From zero", figures.ChangeOf("USDT", decimal.NewFromInt(30), decimal.Zero)},
	{"From below zero", figures.ChangeOf("USDT", decimal.NewFromInt(30), decimal.NewFromInt(-50))},
	{"Unknown", figures.Change{Kind: figures.ChangeUnknown}},
}

var counts = []named[figures.Count]{
	{"Known", figures.CountOf(1432, "")},
	{"Nobody", figures.CountOf(0, "")},
	{"At least", figures.Count{N: 310, Known: true, AtLeast: true, Reason: "The exchange no longer lists older days.", Change: figures.Change{Kind: figures.ChangeNone}}},
	{"Unknown", figures.CountOf(0, "These days are not collected.")},
}

var amounts = []named[affiliate.Amount]{
	{"USDT", affiliate.Amount{Value: decimal.New(1420355120, -5), Coin: "USDT"}},
	{"BTC", affiliate.Amount{Value: decimal.New(18954, -8), Coin: "BTC"}},
	{"Large", affiliate.Amount{Value: decimal.New(98765432109876, -2), Coin: "USDT"}},
	{"Smaller than shown", affiliate.Amount{Value: decimal.New(4, -14), Coin: "BTC"}},
	{"Zero", affiliate.Amount{Coin: "USDT"}},
	{"Below zero", affiliate.Amount{Value: decimal.New(-3121, -2), Coin: "USDT"}},
}

// links are those of a page about the days of the samples.
func links() ui.Links { return ui.Links{Path: "/gallery", Query: question()} }

func question() query.Query {
	return query.Query{Range: query.Custom, Days: days, Zone: time.UTC, Page: 1, Per: 50}
}

// at is an instant within the samples.
func at(day affiliate.Day) affiliate.Millis { return affiliate.MillisOf(day.Start(time.UTC)) }

// gap is a range of which two days are missing.
var gap = coverage.Coverage{
	Wanted: 28, Collected: 26, Through: at(first + 4), Begun: true,
	Gaps: []coverage.Gap{{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions}, Days: affiliate.Days{First: first + 4, Last: first + 5}}},
}

var columnsOfTable = []ui.TableColumn{
	{Label: "UID", Field: "uid"}, {Label: "Commission", Field: "commission", Numeric: true, Largest: true},
	{Label: "Change", Numeric: true}, {Label: "Records", Numeric: true, Hint: "Commission records in the range."},
}

var empties = []named[coverage.EmptyKind]{
	{"Not collected", coverage.EmptyNotCollected}, {"Truly empty", coverage.EmptyTruly}, {"Filtered", coverage.EmptyFiltered},
	{"Failed", coverage.EmptyFailed}, {"In the future", coverage.EmptyFuture}, {"Before the collection", coverage.EmptyBefore},
}

// refused is a form with a fault.
func refused() ui.Form {
	f := ui.Form{Values: map[string]string{"name": "Weekly figures", "least": "-4"}}
	f.Fault("least", "This is below zero. Enter 0 or more.")
	return f
}
