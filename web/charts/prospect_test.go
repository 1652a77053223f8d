package charts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/still"
	"rebatedesk/web/charts"
)

func prospect() charts.Prospect {
	first := affiliate.NewDay(2026, 11, 1)
	p := charts.Prospect{Coin: "USDT", Days: []affiliate.Day{first, first + 1, first + 2, first + 3}, Rough: func(d decimal.Decimal) string { return d.String() }}
	for _, sum := range []int64{100, 250, 300} {
		p.Earned = append(p.Earned, decimal.NewFromInt(sum))
	}
	for _, end := range [][3]int64{{310, 300, 330}, {400, 350, 480}} {
		p.Ahead = append(p.Ahead, charts.ProspectDay{Expected: decimal.NewFromInt(end[0]), Low: decimal.NewFromInt(end[1]), High: decimal.NewFromInt(end[2])})
	}
	return p
}

// The estimate begins at what was earned by the last day that is over. Its range stands on its
// lower end, and the estimated days have a grey ground.
func TestProspect(t *testing.T) {
	text, err := json.Marshal(charts.DrawProspect(prospect()))
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
	for i, want := range map[int][4]any{0: {100.0, 250.0, 300.0, "-"}, 1: {"-", 250.0, 310.0, 400.0}, 2: {"-", 250.0, 300.0, 350.0}, 3: {"-", 0.0, 30.0, 130.0}, 4: {"-", "-", 1.0, 1.0}} {
		for day, value := range want {
			if got := drawing.Option.Series[i].Data[day].Value; got != value {
				t.Errorf("series %d has %v on day %d, want %v", i, got, day, value)
			}
		}
	}
	if last := drawing.Tips[3]; !strings.HasSuffix(last.Title, "estimate: between 350 and 480") || last.Values[0] != "—" || last.Values[1] != "about 400 USDT" {
		t.Errorf("the tip of the last day is %+v", last)
	}
	if words := charts.DescribeProspect(prospect()); !strings.Contains(words, "Earned so far: 300.00 USDT. Estimate of the end: about 400 USDT, between 350 and 480.") {
		t.Error(words)
	}
	drawn := charts.StillProspect(prospect())
	if len(drawn.Bands) != 1 || drawn.Bands[0] != (still.Band{From: still.Side / 2, Width: still.Side / 2}) {
		t.Errorf("the bands are %v", drawn.Bands)
	}
	classes := map[string]bool{}
	for _, line := range drawn.Lines {
		classes[line.Class] = line.Path != ""
	}
	if !classes["gap"] || !classes["line-1"] || !classes["reference"] {
		t.Errorf("the lines are %v", classes)
	}
	if empty := charts.StillProspect(charts.Prospect{}); len(empty.Lines) > 0 {
		t.Errorf("nothing is drawn as %v", empty)
	}
}
