package charts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/golden"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/web/charts"
)

// series returns four days: a complete one, one without commission, one that is not
// collected, and one still running.
func series() figures.DailySeries {
	first := affiliate.NewDay(2026, 11, 17)
	amounts := func(texts ...string) []decimal.Decimal {
		values := make([]decimal.Decimal, len(texts))
		for i, text := range texts {
			values[i] = decimal.RequireFromString(text)
		}
		return values
	}
	return figures.DailySeries{
		Coin: "USDT",
		Days: []affiliate.Day{first, first + 1, first + 2, first + 3},
		Parts: []figures.SeriesPart{
			{Name: "Futures", Values: amounts("1000.1234567", "0", "0", "12.5")},
			{Name: "</script>{x|y}", Values: amounts("-0.004", "0", "0", "7.25")},
		},
		Total:     amounts("1000.1194567", "0", "0", "19.75"),
		State:     []coverage.DayState{coverage.DayCollected, coverage.DayCollected, coverage.DayMissing, coverage.DayPartial},
		Reference: amounts("900", "0", "3.1"),
		RefDays:   []affiliate.Day{first - 4, first - 3, first - 2},
		RefKnown:  []bool{true, false, true},
	}
}

func TestDaily(t *testing.T) {
	got, err := json.MarshalIndent(charts.DrawDaily(series()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "daily.json", append(got, '\n'))
	if strings.Contains(string(got), "__f__") || strings.Contains(string(got), "</script>") {
		t.Error("the option contains a function")
	}
}

// An uncollected day is not drawn, and a day without commission is drawn as zero, so that
// they look different.
func TestUnknownIsNotZero(t *testing.T) {
	var drawing struct {
		Option struct {
			Series []struct {
				ID   string
				Data []struct{ Value any }
			}
		}
		Tips []charts.Tip
	}
	text, err := json.Marshal(charts.DrawDaily(series()))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	futures, reference, missing := drawing.Option.Series[0].Data, drawing.Option.Series[2].Data, drawing.Option.Series[3].Data
	if futures[1].Value != 0.0 || futures[2].Value != "-" {
		t.Errorf("zero commission is drawn as %v, a day that is not collected as %v", futures[1].Value, futures[2].Value)
	}
	if missing[1].Value != "-" || missing[2].Value != 1.0 {
		t.Errorf("the band is drawn as %v and %v", missing[1].Value, missing[2].Value)
	}
	if reference[1].Value != "-" || reference[3].Value != "-" {
		t.Errorf("an unknown reference is drawn as %v and %v", reference[1].Value, reference[3].Value)
	}
	if got := drawing.Tips[2]; strings.Contains(got.Title+got.Values[0], "0.00") || got.Values[0] != "—" {
		t.Errorf("the tooltip of a day that is not collected says %v", got)
	}
	if got := drawing.Tips[0].Values[0]; got != "1,000.12 USDT" {
		t.Errorf("the tooltip says %q", got)
	}
}

func TestDescribe(t *testing.T) {
	want := "Commission per day from Tue, 17 Nov 2026 to Fri, 20 Nov 2026: 1,019.87 USDT in all, most on Tue, 17 Nov 2026 with 1,000.12 USDT. " +
		"Not collected: 1 of 4 days. Collected in part: 1 of 4 days. The table below holds every figure."
	if got := charts.DescribeDaily(series()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := charts.DescribeDaily(figures.DailySeries{}); got != "No days to draw." {
		t.Errorf("got %s", got)
	}
}
