package people

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/templates/ui"
)

func trend(values ...int64) subaffiliates.Trend {
	first := affiliate.NewDay(2026, 11, 1)
	t := subaffiliates.Trend{Days: affiliate.Days{First: first, Last: first + affiliate.Day(len(values)) - 1}}
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
	if got := spark(trend(-1)) + spark(subaffiliates.Trend{}); got != "" {
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
		trend subaffiliates.Trend
		want  string
	}{
		{trend(0, 10, 5), "Paid on 2 days of 3, most on 2 Nov 2026: 10.00"},
		{trend(0, 0), "Nothing paid on any collected day"},
		{trend(7, -1), "Paid on 1 day of 2, most on 1 Nov 2026: 7.00; 1 day not collected or not begun"},
	} {
		if got := sparkWords(c.trend); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A header and its cells have the same columns for every choice of columns.
func TestSubAffiliateCellsMatchColumns(t *testing.T) {
	for _, accounts := range [][]affiliate.Account{{"main"}, {"main", "other"}} {
		for _, compare := range query.Compares() {
			for _, cols := range []string{"", "volume", "trend,first,change", strings.Join(SubAffiliateChoices(), ",")} {
				q := query.Query{Compare: compare, Cols: cols}
				line := subaffiliates.ListLine{UID: "7"}
				view := SubAffiliatesView{Links: ui.Links{Query: q}, Report: subaffiliates.Report{
					Lines: []subaffiliates.ListLine{line}, Total: line, Count: 1, Pages: 1, Options: question.Options{Accounts: accounts}}}
				text := pagetest.Text(t, subTable(view))
				_, table, _ := strings.Cut(text, "<table")
				head, foot, _ := strings.Cut(table, "<tfoot>")
				foot, body, _ := strings.Cut(foot, "<tbody>")
				heads, cells := strings.Count(head, "<th scope"), strings.Count(body, "<td")
				totals := strings.Count(foot, "<td") + len(accounts)
				if heads != cells || heads != totals {
					t.Errorf("%v %s %q: %d headings, %d cells, %d in the total", accounts, compare, cols, heads, cells, totals)
				}
			}
		}
	}
}
