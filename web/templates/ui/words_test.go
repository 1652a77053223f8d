package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

func TestChangeBadge(t *testing.T) {
	change := func(kind figures.ChangeKind, percent string) string {
		b := ChangeBadge(figures.Change{Kind: kind, Percent: decimal.RequireFromString(percent)})
		return b.Sign + " " + b.Text
	}
	for _, c := range []struct{ got, want string }{
		{change(figures.ChangeUp, "12.5"), "▲ 12.5\u00a0%"},
		{change(figures.ChangeUp, "12345"), "▲ ×\u00a0124"},
		{change(figures.ChangeDown, "-3.1"), "▼ 3.1\u00a0%"},
		{change(figures.ChangeDown, "0"), "▼ "},
		{change(figures.ChangeNew, "0"), " new"},
		{change(figures.ChangeSame, "0"), " no change"},
		{change(figures.ChangeUnknown, "0"), " —"},
		{change(figures.ChangeNone, "0"), " "},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// While a range is not over its change is one so far, and being down is no alarm.
func TestChangeSoFar(t *testing.T) {
	for kind, want := range map[figures.ChangeKind][2]string{
		figures.ChangeDown: {"so far", "text-muted"}, figures.ChangeUp: {"so far", "text-success"}, figures.ChangeSame: {"so far", "text-muted"},
		figures.ChangeUnknown: {"", "text-muted"}, figures.ChangeNone: {"", ""},
	} {
		b := ChangeBadge(figures.Change{Kind: kind, Percent: decimal.NewFromInt(5), Open: true})
		if [2]string{b.Note, b.Class} != want {
			t.Errorf("%s: %+v, want %v", kind, b, want)
		}
	}
}

func TestRatePercent(t *testing.T) {
	for rate, want := range map[affiliate.Number]string{
		"0.1": "10.0\u00a0%", "0.35": "35.0\u00a0%", "0.3525": "35.25\u00a0%", "0": "0.0\u00a0%", "": "", "1": "100.0\u00a0%",
	} {
		if got := RatePercent(rate); got != want {
			t.Errorf("%q reads %q, want %q", rate, got, want)
		}
	}
}

func TestCoverageWords(t *testing.T) {
	gap := coverage.Gap{Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures},
		Days: affiliate.Days{First: affiliate.NewDay(2026, 11, 3), Last: affiliate.NewDay(2026, 11, 5)}}
	through := affiliate.MillisOf(time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC))
	for _, c := range []struct {
		coverage coverage.Coverage
		want     string
	}{
		{coverage.Coverage{Wanted: 30, Collected: 30, Through: through}, "Complete up to 20 Nov 2026 14:05 UTC"},
		{coverage.Coverage{Wanted: 30, Collected: 27, Gaps: []coverage.Gap{gap}}, "3 of 30 days not collected"},
		{coverage.Coverage{Wanted: 30, Gaps: []coverage.Gap{gap}}, "None of 30 days collected yet"},
		{coverage.Coverage{Wanted: 1, Gaps: []coverage.Gap{gap}}, "None of 1 day collected yet"},
		{coverage.Coverage{}, "Nothing of this range is to be read yet"},
	} {
		if got := CoverageWords(c.coverage, time.UTC); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	invitees := coverage.Gap{Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: affiliate.NewDay(2026, 10, 28), Last: affiliate.NewDay(2026, 11, 2)}}
	if got, want := GapWords([]coverage.Gap{gap, invitees, gap, gap}), "Futures commissions 3–5 Nov 2026; invitees 28 Oct – 2 Nov 2026; and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct{ of, longest, want string }{
		{"50", "200", "25%"}, {"200", "200", "100%"}, {"-3", "200", "0%"}, {"1", "0", "0%"}, {"1", "3", "33.33%"},
	} {
		if got := Share(decimal.RequireFromString(c.of), decimal.RequireFromString(c.longest)); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.of, c.longest, got, c.want)
		}
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 850 * time.Millisecond: "850 ms", 12400 * time.Millisecond: "12.4 s", 59949 * time.Millisecond: "59.9 s", 59960 * time.Millisecond: "1 min 0 s",
		192 * time.Second: "3 min 12 s", time.Hour - time.Millisecond: "1 h 0 min", 125 * time.Minute: "2 h 5 min",
	} {
		if got := strings.ReplaceAll(Took(d), Space, " "); got != want {
			t.Errorf("%v reads %q, want %q", d, got, want)
		}
	}
	if Span(5000, 2000) != 0 || Span(2000, 5000) != 3*time.Second {
		t.Error("the time between two instants is wrong")
	}
}

func TestRowsWords(t *testing.T) {
	q := pagetest.Ask(t, "page=3&per=50")
	for _, c := range []struct {
		shown int
		all   int64
		want  string
	}{{20, 120, "101–120 of 120 runs"}, {0, 120, "120 runs"}, {1, 1, "1 run"}} {
		if got := RowsWords(q, c.shown, c.all, "run"); got != c.want {
			t.Errorf("%d of %d reads %q, want %q", c.shown, c.all, got, c.want)
		}
	}
	for rows, want := range map[int64]int{0: 1, 50: 1, 51: 2} {
		if got := Pages(rows, 50); got != want {
			t.Errorf("%d rows fill %d pages, want %d", rows, got, want)
		}
	}
}
