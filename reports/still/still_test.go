package still_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/golden"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/still"
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
	got, err := json.MarshalIndent(still.Daily(series()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "still.json", append(got, '\n'))
	if empty := still.Daily(figures.DailySeries{}); len(empty.Lines) > 0 {
		t.Errorf("a chart without days is drawn as %v", empty)
	}
}

// Bars end at their amounts on the axis: the bars of a day are stacked, and negative
// amounts extend below zero.
func TestBarsStack(t *testing.T) {
	s := still.Daily(figures.DailySeries{
		Coin: "USDT", Days: []affiliate.Day{affiliate.NewDay(2026, 11, 17)},
		Parts: []figures.SeriesPart{
			{Name: "Spot", Values: []decimal.Decimal{decimal.NewFromInt(100)}},
			{Name: "Futures", Values: []decimal.Decimal{decimal.NewFromInt(300)}},
			{Name: "Taken back", Values: []decimal.Decimal{decimal.NewFromInt(-200)}},
		},
		Total: []decimal.Decimal{decimal.NewFromInt(200)}, State: []coverage.DayState{coverage.DayCollected},
	})
	var low, high string
	for _, mark := range s.Values {
		low, high = cmp.Or(low, mark.Text), mark.Text
	}
	if low != "-200" || high != "400" {
		t.Fatalf("the axis reaches from %s to %s", low, high)
	}
	// The side is 1000 long and shows 600 units, so zero is at 666.7.
	for class, want := range map[string][2]float64{"bar-1": {666.7, 500}, "bar-2": {500, 0}, "bar-3": {666.7, 1000}} {
		var x, from, width, to float64
		for _, line := range s.Lines {
			if line.Class == class {
				if _, err := fmt.Sscanf(line.Path, "M%f %fh%fV%f", &x, &from, &width, &to); err != nil {
					t.Fatalf("%s is drawn as %q: %v", class, line.Path, err)
				}
			}
		}
		if from != want[0] || to != want[1] || width <= 0 {
			t.Errorf("%s reaches from %g to %g, want %v", class, from, to, want)
		}
	}
}

// A line is interrupted at unknown values, and a value between two of them is a dot.
func TestLineIsBroken(t *testing.T) {
	s := still.Daily(series()) // days 1 and 3 of the compared period are known
	for _, line := range s.Lines {
		if strings.HasPrefix(line.Class, "reference") {
			if n := strings.Count(line.Path, "M"); line.Class != "reference dots" || n != 2 || strings.Contains(line.Path, "L") {
				t.Errorf("the compared period is drawn as %q", line.Path)
			}
			return
		}
	}
	t.Error("the compared period is not drawn")
}

// The days of several years are longer than those of one, so fewer of them fit on a phone.
func TestLabelsFit(t *testing.T) {
	for _, c := range []struct{ days, most int }{{60, 6}, {400, 4}} {
		d := figures.DailySeries{Coin: "USDT"}
		part := figures.SeriesPart{Name: "Spot"}
		for i := range c.days {
			d.Days = append(d.Days, affiliate.NewDay(2025, 10, 24)+affiliate.Day(i))
			part.Values = append(part.Values, decimal.NewFromInt(int64(i)))
			d.Total = append(d.Total, decimal.NewFromInt(int64(i)))
			d.State = append(d.State, coverage.DayCollected)
		}
		d.Parts = []figures.SeriesPart{part}
		if n := len(still.Daily(d).Steps); n > c.most || n < c.most-1 {
			t.Errorf("%d of %d days have a label, %d fit", n, c.days, c.most)
		}
	}
}
