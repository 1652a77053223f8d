package ui

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
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
		{phrase.Change(figures.ChangeOf("USDT", decimal.NewFromInt(-80), decimal.NewFromInt(-50))).String(), "▼ 30.00 USDT"},
		{phrase.Change(figures.ChangeOf("USDT", decimal.NewFromInt(30), decimal.NewFromInt(-50))).String(), "▲ 80.00 USDT"},
		{phrase.Change(figures.ChangeOf("", decimal.NewFromInt(3), decimal.Zero)).String(), "▲ 3"},
		{change(figures.ChangeSame, "0"), " no change"},
		{change(figures.ChangeUnknown, "0"), " —"},
		{change(figures.ChangeNone, "0"), " "},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// While a range is not over its change is provisional, and a decrease is not marked as an
// alarm.
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

func TestShare(t *testing.T) {
	for _, c := range []struct{ of, longest, want string }{
		{"50", "200", "25%"}, {"200", "200", "100%"}, {"-3", "200", "0%"}, {"1", "0", "0%"}, {"1", "3", "33.33%"},
	} {
		if got := BarLength(decimal.RequireFromString(c.of), decimal.RequireFromString(c.longest)); got != c.want {
			t.Errorf("%s of %s is %s, want %s", c.of, c.longest, got, c.want)
		}
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

func TestSpan(t *testing.T) {
	if Elapsed(5000, 2000) != 0 || Elapsed(2000, 5000) != 3*time.Second {
		t.Error("the time between two instants is wrong")
	}
}
