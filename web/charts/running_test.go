package charts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/still"
	"rebatedesk/web/charts"
)

func running(sums ...[2]int64) charts.Running {
	r := charts.Running{Coin: "USDT"}
	for i, sum := range sums {
		r.Days = append(r.Days, affiliate.NewDay(2026, 11, 17)+affiliate.Day(i))
		r.Earned, r.Paid = append(r.Earned, decimal.NewFromInt(sum[0])), append(r.Paid, decimal.NewFromInt(sum[1]))
		r.Open = append(r.Open, i == len(sums)-1)
	}
	return r
}

// The filled series stands on the lower of both lines, whichever that is, and reaches up to
// the other.
func TestRunningFillsTheGap(t *testing.T) {
	text, err := json.Marshal(charts.DrawRunning(running([2]int64{100, 100}, [2]int64{250, 100}, [2]int64{300, 320})))
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
	for i, want := range map[int][3]any{0: {100.0, 250.0, 300.0}, 1: {100.0, 100.0, 320.0}, 2: {0.0, -150.0, 20.0}, 3: {100.0, 100.0, 300.0}, 4: {0.0, 150.0, 20.0}, 5: {"-", "-", 1.0}} {
		for day, value := range want {
			if got := drawing.Option.Series[i].Data[day].Value; got != value {
				t.Errorf("series %d has %v on day %d, want %v", i, got, day, value)
			}
		}
	}
	if base, gap := drawing.Option.Series[3], drawing.Option.Series[4]; base.Stack != gap.Stack || gap.Stack == "" || gap.ID != "gap" {
		t.Errorf("the gap is %+v on %+v", gap, base)
	}
	for day, want := range []string{"all paid", "150.00 USDT more earned than paid", "20.00 USDT more paid than earned · not all due or collected"} {
		if got := drawing.Tips[day].Title; !strings.HasSuffix(got, want) {
			t.Errorf("the tip of day %d is %q, want %q", day, got, want)
		}
	}
}

// The server's drawing has the same lines, on an axis from 0 to 400 in the upper 550 units, and
// the gap as bars below.
func TestStillRunning(t *testing.T) {
	s := charts.StillRunning(running([2]int64{200, 200}, [2]int64{400, 100}))
	want := map[string]string{"gap": "M250 275L750 0L750 412.5L250 275z", "line-1": "M250 275L750 0", "line-2": "M250 275L750 412.5", "fall": "M682.5 680h135V1000h-135z"}
	for _, line := range s.Lines {
		if path, ok := want[line.Class]; ok && line.Path != path {
			t.Errorf("%s is drawn as %q, want %q", line.Class, line.Path, path)
		}
		delete(want, line.Class)
	}
	if len(want) > 0 || len(s.Bands) != 1 || s.Bands[0].From != still.Side/2 {
		t.Errorf("not drawn: %v; bands %v", want, s.Bands)
	}
	if paid := charts.StillRunning(running([2]int64{200, 200})); strings.Contains(fmt.Sprint(paid), "NaN") || strings.Contains(fmt.Sprint(paid), "Inf") {
		t.Errorf("without a gap it is drawn as %v", paid)
	}
	if empty := charts.StillRunning(charts.Running{}); len(empty.Lines) > 0 || charts.DescribeRunning(charts.Running{}) != "No days to draw." {
		t.Errorf("a chart without days is drawn as %v", empty)
	}
}

// A shortfall is told since the day from which on less is paid than was earned, whatever is not due yet. A
// day on which the sums agree, or more is paid, ends it.
func TestShortSince(t *testing.T) {
	since, by, short := charts.Running{}.ShortSince()
	if short {
		t.Errorf("without days: %s since %s", by, since)
	}
	for name, c := range map[string]struct {
		sums  [][2]int64
		after int    // days from the first one
		by    string // empty: nothing is short
	}{
		"nothing is short":     {[][2]int64{{100, 100}, {200, 200}}, 0, ""},
		"short from the first": {[][2]int64{{100, 90}, {200, 150}}, 0, "50"},
		"short again":          {[][2]int64{{100, 90}, {200, 200}, {300, 280}, {400, 370}}, 2, "30"},
		"paid back":            {[][2]int64{{100, 90}, {200, 210}}, 0, ""},
	} {
		r := running(c.sums...)
		clear(r.Open)
		since, by, short := r.ShortSince()
		if short != (c.by != "") || short && (since != r.Days[c.after] || by.String() != c.by) {
			t.Errorf("%s: %t, %s since %s", name, short, by, since)
		}
	}
	pending := running([2]int64{100, 90}, [2]int64{200, 90})
	clear(pending.Open)
	pending.Open[1] = true
	if since, by, short := pending.ShortSince(); !short || since != pending.Days[0] || by.String() != "10" {
		t.Errorf("with a day that is not due: %t, %s since %s", short, by, since)
	}
}
