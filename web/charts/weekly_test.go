package charts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/still"
	"rebatedesk/web/charts"
)

// long returns a series of n days with the given state on each.
func long(first affiliate.Day, n int, state func(i int) coverage.DayState) figures.DailySeries {
	d := figures.DailySeries{Coin: "USDT", Parts: []figures.SeriesPart{{Name: "Futures"}, {Name: "Spot"}}, Reference: []decimal.Decimal{}}
	for i := range n {
		futures, spot := decimal.New(int64(i+1), -2), decimal.Zero
		d.Days, d.State = append(d.Days, first+affiliate.Day(i)), append(d.State, state(i))
		d.Parts[0].Values, d.Parts[1].Values = append(d.Parts[0].Values, futures), append(d.Parts[1].Values, spot)
		d.Total = append(d.Total, futures)
		d.Reference, d.RefDays = append(d.Reference, decimal.New(1, 0)), append(d.RefDays, first+affiliate.Day(i-n))
		d.RefKnown = append(d.RefKnown, i != 8)
	}
	return d
}

// column is one point of a drawing, across its series.
type column struct {
	label string
	tip   charts.Tip
	bars  []any
}

func columns(t interface{ Fatal(...any) }, d figures.DailySeries) []column {
	text, err := json.Marshal(charts.DrawDaily(d))
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Option struct {
			XAxis  []struct{ Data []string }
			Series []struct{ Data []struct{ Value any } }
		}
		Tips []charts.Tip
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	list := make([]column, len(drawing.Tips))
	for i := range list {
		list[i] = column{label: drawing.Option.XAxis[0].Data[i], tip: drawing.Tips[i]}
		for _, series := range drawing.Option.Series {
			list[i].bars = append(list[i].bars, series.Data[i].Value)
		}
	}
	return list
}

func TestWeekly(t *testing.T) {
	first := affiliate.NewDay(2026, 7, 18) // a Saturday
	d := long(first, 126, func(i int) coverage.DayState {
		switch {
		case i == 3:
			return coverage.DayMissing
		case i == 125:
			return coverage.DayRunning
		}
		return coverage.DayCollected
	})
	weeks := columns(t, d)
	if len(weeks) != 19 || still.Period(d) != "week" {
		t.Fatalf("%d columns per %s, want 19 weeks", len(weeks), still.Period(d))
	}
	for i, want := range []struct{ label, title, futures, spot, reference string }{
		{"18 Jul", "18 Jul 2026 – 19 Jul 2026 · 0.03 USDT", "0.03 USDT · 100.0\u00a0%", "0.00 USDT · 0.0\u00a0%", "2.00 USDT, 14 Mar 2026 – 15 Mar 2026 · ▼ 98.5\u00a0%"},
		{"20 Jul", "20 Jul 2026 – 26 Jul 2026 · 0.42 USDT · partly collected", "0.42 USDT", "—", "—"},
		{"27 Jul", "27 Jul 2026 – 2 Aug 2026 · 0.91 USDT", "0.91 USDT · 100.0\u00a0%", "0.00 USDT · 0.0\u00a0%", "7.00 USDT, 23 Mar 2026 – 29 Mar 2026 · ▼ 87.0\u00a0%"},
	} {
		got := weeks[i]
		values := []string{want.futures, want.spot, want.reference}
		if got.label != want.label || got.tip.Title != want.title || strings.Join(got.tip.Values, "|") != strings.Join(values, "|") {
			t.Errorf("week %d reads %q %+v, want %+v", i, got.label, got.tip, want)
		}
	}
	if weeks[1].bars[1] != "-" {
		t.Errorf("spot in a week with a missing day is drawn as %v, want nothing", weeks[1].bars[1])
	}
	if last := weeks[18].tip.Title; !strings.HasPrefix(last, "16 Nov 2026 – 20 Nov 2026 ·") || !strings.HasSuffix(last, "so far") {
		t.Errorf("the last week reads %q", last)
	}
	if text := charts.DescribeDaily(d); !strings.HasPrefix(text, "Commission per week from Sat, 18 Jul 2026 to Fri, 20 Nov 2026: 80.01 USDT in all, most on 9 Nov 2026 – 15 Nov 2026") {
		t.Error(text)
	}
	if still.Period(long(first, 120, func(int) coverage.DayState { return coverage.DayCollected })) != "day" {
		t.Error("120 days are drawn by week")
	}
}

// For any range, weeks begin on Monday, omit no day and add up.
func TestWeeksAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := affiliate.NewDay(2025, 1, 1) + affiliate.Day(rapid.IntRange(0, 400).Draw(rt, "first"))
		n := rapid.IntRange(121, 500).Draw(rt, "days")
		missing := rapid.IntRange(0, n-1).Draw(rt, "missing")
		d := long(first, n, func(i int) coverage.DayState {
			if i == missing {
				return coverage.DayMissing
			}
			return coverage.DayCollected
		})
		var sum float64
		inPart := 0
		weeks := columns(rt, d)
		for i, week := range weeks {
			sum += week.bars[0].(float64)
			if strings.Contains(week.tip.Title, "collected") {
				inPart++
			}
			day, err := time.Parse("2 Jan 2006", strings.Split(strings.Split(week.tip.Title, " · ")[0], " – ")[0])
			if err != nil {
				rt.Fatal(err)
			}
			if i > 0 && day.Weekday() != time.Monday {
				rt.Fatalf("a week begins on %s", week.tip.Title)
			}
		}
		if want := float64(n*(n+1)) / 200; sum < want-0.001 || sum > want+0.001 {
			rt.Fatalf("the weeks add up to %v, the days to %v", sum, want)
		}
		if inPart != 1 {
			rt.Fatalf("%d weeks are doubtful, want the one with the missing day", inPart)
		}
	})
}
