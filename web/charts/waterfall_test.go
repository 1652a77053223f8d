package charts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/web/charts"
)

func waterfall(amounts ...int64) charts.Waterfall {
	w := charts.Waterfall{Of: "Commission", Coin: "USDT"}
	for i, amount := range amounts {
		name := string(rune('a' + i))
		w.Steps = append(w.Steps, charts.WaterfallStep{Name: "step " + name, Short: name, Whole: i == 0 || i == len(amounts)-1, Amount: decimal.NewFromInt(amount), Unsure: i == 0})
	}
	return w
}

// Every column begins where the one before it ends, also below zero.
func TestWaterfallStepsJoin(t *testing.T) {
	text, err := json.Marshal(charts.DrawWaterfall(waterfall(100, -150, 30, -20)))
	if err != nil {
		t.Fatal(err)
	}
	var drawing struct {
		Option struct {
			Series []struct {
				ID    string
				Stack string
				Data  []struct{ Value any }
			}
		}
		Tips []charts.Tip
	}
	if err := json.Unmarshal(text, &drawing); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]any{{0.0, -50.0, -50.0, -20.0}, {100.0, 150.0, 30.0, 20.0}, {1.0, "-", "-", "-"}} {
		for step, value := range want {
			if got := drawing.Option.Series[i].Data[step].Value; got != value {
				t.Errorf("series %d has %v at step %d, want %v", i, got, step, value)
			}
		}
	}
	if lift, flows := drawing.Option.Series[0], drawing.Option.Series[1]; lift.Stack != flows.Stack || lift.ID != "flows-lift" || flows.ID != "flows" {
		t.Errorf("the columns are %+v on %+v", flows, lift)
	}
	for i, want := range []charts.Tip{
		{Title: "step a", Values: []string{"", "100.00 USDT, not collected completely"}, Label: "100.00"},
		{Title: "step b", Values: []string{"", "-150.00 USDT"}, Label: "-150.00", Part: 1},
		{Title: "step c", Values: []string{"", "+30.00 USDT"}, Label: "+30.00", Part: 2},
		{Title: "step d", Values: []string{"", "-20.00 USDT"}, Label: "-20.00"},
	} {
		if got := drawing.Tips[i]; got.Title != want.Title || got.Values[1] != want.Values[1] || got.Label != want.Label || got.Part != want.Part {
			t.Errorf("tip %d is %+v, want %+v", i, got, want)
		}
	}
}

// The server's drawing has the same columns, on an axis from 0 to 100 over 1000 units.
func TestStillWaterfall(t *testing.T) {
	s := charts.StillWaterfall(waterfall(100, -50, 25, 75))
	want := map[string]string{
		"bar-1": "M82.5 1000h85V0h-85zM832.5 1000h85V250h-85z", "bar-2": "M332.5 0h85V500h-85z", "bar-3": "M582.5 500h85V250h-85z",
	}
	for _, line := range s.Lines {
		if path, ok := want[line.Class]; ok && line.Path != path {
			t.Errorf("%s is drawn as %q, want %q", line.Class, line.Path, path)
		}
		delete(want, line.Class)
	}
	if len(want) > 0 || len(s.Bands) != 1 || s.Bands[0].From != 0 {
		t.Errorf("not drawn: %v; bands %v", want, s.Bands)
	}
	if empty := charts.StillWaterfall(charts.Waterfall{}); len(empty.Lines) > 0 {
		t.Errorf("a chart without steps is drawn as %v", empty)
	}
	if words := charts.DescribeWaterfall(waterfall(100, -50, 50)); !strings.HasPrefix(words, "Commission step by step: step a 100.00 USDT, not collected completely, step b -50.00 USDT, step c 50.00 USDT.") {
		t.Errorf("in words: %s", words)
	}
}

// The amount above a column is short in every coin.
func TestWaterfallLabels(t *testing.T) {
	for amount, want := range map[string]string{
		"12542.99 USDT": "12.54K", "-654.004 USDT": "-654.00", "0.0021052759 BTC": "+0.002105", "0 BTC": "0", "-1234.5 BTC": "-1.234K", "0.5 BTC": "+0.5", "20 BTC": "+20",
	} {
		value, coin, _ := strings.Cut(amount, " ")
		d := charts.DrawWaterfall(charts.Waterfall{Coin: affiliate.Coin(coin), Steps: []charts.WaterfallStep{{Amount: decimal.RequireFromString(value), Whole: coin == "USDT"}}})
		if got := d.Tips[0].Label; got != want {
			t.Errorf("%s is labelled %q, want %q", amount, got, want)
		}
	}
}
