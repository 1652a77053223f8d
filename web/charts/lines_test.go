package charts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/web/charts"
)

func lines(unit string) figures.Lines {
	first := affiliate.NewDay(2026, 11, 17)
	return figures.Lines{
		Of: "Users per day", Unit: unit,
		Steps: []affiliate.Days{{First: first, Last: first}, {First: first + 1, Last: first + 1}, {First: first + 2, Last: first + 2}},
		Parts: []figures.Curve{
			{Name: "Registered", Values: []decimal.Decimal{decimal.NewFromInt(3), decimal.Zero, decimal.NewFromInt(1204)}},
			{Name: "</script>", Values: make([]decimal.Decimal, 3), Known: []bool{false, true, false}},
		},
	}
}

// A step with unknown values interrupts the line; zero does not.
func TestLinesTellUnknownFromZero(t *testing.T) {
	text, err := json.Marshal(charts.LineChart(lines("")))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "</script>") {
		t.Error("the option contains a function")
	}
	var drawing struct {
		Option struct {
			Series []struct {
				ShowSymbol bool
				Data       []struct{ Value any }
			}
		}
		Tips []charts.Tip
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	second := drawing.Option.Series[1]
	if second.Data[0].Value != "-" || second.Data[1].Value != 0.0 || !second.ShowSymbol {
		t.Errorf("the second line is %+v", second)
	}
	if got := drawing.Tips[2]; got.Title != "19 Nov 2026" || got.Values[0] != "1,204" || got.Values[1] != "—" {
		t.Errorf("the last tip is %+v", got)
	}
}

func TestLineValuesSayTheirUnit(t *testing.T) {
	for unit, want := range map[string]string{"": "1,204", "%": "1,204 %", "USDT": "1,204.00 USDT"} {
		l := lines(unit)
		if got := charts.LineValue(l, l.Parts[0], 2); got != want {
			t.Errorf("unit %q: %q, want %q", unit, got, want)
		}
	}
}

func TestDescribeLines(t *testing.T) {
	got := charts.DescribeLines(lines(""))
	for _, want := range []string{"Users per day from 17 Nov 2026 to 19 Nov 2026.", "Registered: highest 1,204, in 19 Nov 2026.", "highest 0, in 18 Nov 2026"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := charts.DescribeLines(figures.Lines{}); got != "Nothing to draw." {
		t.Error(got)
	}
}

func TestStepNames(t *testing.T) {
	september := affiliate.Days{First: affiliate.NewDay(2026, 9, 1), Last: affiliate.NewDay(2026, 9, 30)}
	for want, step := range map[string]affiliate.Days{
		"Sep 2026": september,
		"1 Sep":    {First: september.First, Last: september.First},
		"2 Sep 26": {First: september.First + 1, Last: september.First + 7},
	} {
		if got := charts.StepName(step); got != want {
			t.Errorf("%v is called %q, want %q", step, got, want)
		}
	}
}

// A few first trades next to hundreds of active traders would be invisible, so bars have
// a separate panel and axis.
func TestLinesPutBarsBelow(t *testing.T) {
	l := lines("")
	l.Parts[1].Bars = true
	text, err := json.Marshal(charts.LineChart(l))
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Option struct {
			Grid   []struct{ Bottom string }
			XAxis  []struct{ GridIndex int }
			YAxis  []struct{ GridIndex int }
			Series []struct {
				Type                   string
				XAxisIndex, YAxisIndex int
				Data                   []struct{ Value any }
			}
		}
		Tips []charts.Tip
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	o := drawing.Option
	if len(o.Grid) != 2 || len(o.XAxis) != 2 || len(o.YAxis) != 2 || o.XAxis[1].GridIndex != 1 || o.YAxis[1].GridIndex != 1 {
		t.Fatalf("the chart does not have two panels: %+v", o)
	}
	if line := o.Series[0]; line.Type != "line" || line.XAxisIndex != 0 || line.YAxisIndex != 0 {
		t.Errorf("the line is %+v", line)
	}
	if bars := o.Series[1]; bars.Type != "bar" || bars.XAxisIndex != 1 || bars.YAxisIndex != 1 || bars.Data[0].Value != "-" || bars.Data[1].Value != 0.0 {
		t.Errorf("the bars are %+v", bars)
	}
	if got := drawing.Tips[1].Values; len(got) != 2 || got[1] != "0" {
		t.Errorf("the tip of both panels is %v", got)
	}
}

// The last piece of a line is dashed if its step is not over, by the script and by the server, and
// its tooltip says so. The compared period is whole.
func TestRunningStepOfLines(t *testing.T) {
	l := lines("")
	l.Open = l.Steps[2].First
	l.Parts = []figures.Curve{
		{Name: "Active", Values: []decimal.Decimal{decimal.NewFromInt(8), decimal.NewFromInt(9), decimal.NewFromInt(2)}},
		{Name: "Compared", Values: []decimal.Decimal{decimal.NewFromInt(4), decimal.NewFromInt(6), decimal.NewFromInt(7)}, Compared: true},
	}
	l.RefSteps = []affiliate.Days{{First: l.Open - 9, Last: l.Open - 9}, {First: l.Open - 8, Last: l.Open - 8}, {First: l.Open - 7, Last: l.Open - 7}}
	text, err := json.Marshal(charts.LineChart(l))
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Option struct {
			Series []struct {
				ID   string
				Data []struct{ Value any }
			}
		}
		Tips []charts.Tip
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	series := drawing.Option.Series
	if len(series) != 3 || series[0].Data[2].Value != "-" || series[1].Data[2].Value != 7.0 || series[2].ID != "so-far-0" ||
		series[2].Data[0].Value != "-" || series[2].Data[1].Value != 9.0 || series[2].Data[2].Value != 2.0 {
		t.Errorf("the series are %+v", series)
	}
	if tip := drawing.Tips[1]; tip.Title != "18 Nov 2026" || tip.Values[1] != "6, 11 Nov 2026 · ▲ 50.0\u00a0%" {
		t.Errorf("the tip of a day that is over is %+v", tip)
	}
	if tip := drawing.Tips[2]; tip.Title != "19 Nov 2026 · so far" || tip.Values[0] != "2" || tip.Values[1] != "7, 12 Nov 2026" {
		t.Errorf("the tip of the running day is %+v", tip)
	}
	looks := map[string]int{}
	for _, line := range charts.StillLines(l).Lines {
		looks[line.Class] += strings.Count(line.Path, "M") + strings.Count(line.Path, "L")
	}
	if looks["line-1"] != 2 || looks["line-1 open"] != 2 || looks["line-1 end"] != 1 || looks["reference"] != 3 {
		t.Errorf("the server draws %v points", looks)
	}
}
