package totals

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
)

func trend(values ...int64) figures.Trend {
	first := affiliate.NewDay(2026, 11, 1)
	t := figures.Trend{Days: affiliate.Days{First: first, Last: first + affiliate.Day(len(values)) - 1}}
	for _, v := range values {
		t.Values = append(t.Values, decimal.NewFromInt(max(v, 0)))
		t.Known = append(t.Known, v >= 0) // negative means unknown
	}
	return t
}

// A line extends from its lowest to its highest value, and is interrupted at unknown
// values.
func TestSpark(t *testing.T) {
	if got, want := spark(trend(0, 10, 5)), "M16 18h0L16 18L48 2L80 10"; got != want {
		t.Errorf("the line is %s, want %s", got, want)
	}
	if got := spark(trend(1, -1, 1, -1)); strings.Count(got, "M") != 2 {
		t.Errorf("the line is not broken at unknown days: %s", got)
	}
	if got := spark(trend(0, 0)); strings.Contains(got, "NaN") || strings.Count(got, "18") < 2 {
		t.Errorf("zero is drawn as %s", got)
	}
	if got := spark(trend(-1)) + spark(figures.Trend{}); got != "" {
		t.Errorf("an unknown trend is drawn as %s", got)
	}
	long := trend(make([]int64, 1000)...)
	long.Values[999] = decimal.NewFromInt(3)
	if got := spark(long); strings.Count(got, "L") != sparkPoints || !strings.HasSuffix(got, " 2") {
		t.Errorf("a long trend is drawn as %s", got)
	}
}

func TestSparkWords(t *testing.T) {
	for _, c := range []struct {
		trend figures.Trend
		want  string
	}{
		{trend(0, 10, 5), "Paid on 2 days of 3; highest on 2 Nov 2026: 10.00, first on 2 Nov 2026: 10.00, last on 3 Nov 2026: 5.00"},
		{trend(0, 0), "Nothing paid on any collected day"},
		{trend(7, -1), "Paid on 1 day of 2; highest on 1 Nov 2026: 7.00; 1 day not collected or not over"},
	} {
		if got := sparkWords(c.trend, "Paid"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
