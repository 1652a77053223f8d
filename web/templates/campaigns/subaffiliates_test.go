package campaigns

import (
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/templates/ui"
)

// A header and its cells have the same columns for every choice of columns.
func TestSubAffiliateCellsMatchColumns(t *testing.T) {
	for _, accounts := range [][]affiliate.Account{{"main"}, {"main", "other"}} {
		for _, compare := range query.Compares() {
			for _, cols := range []string{"", "volume", "trend,first,change", strings.Join(SubAffiliateChoices(), ",")} {
				q := query.Query{Compare: compare, Cols: cols}
				line := subaffiliates.ListLine{UID: "7"}
				view := subAffiliatesView{Links: ui.Links{Query: q}, Report: subaffiliates.Report{
					Lines: []subaffiliates.ListLine{line}, Total: line, Count: 1, Pages: 1, Options: snapshot.Options{Accounts: accounts}}}
				text := pagetest.Text(t, subTable(view))
				_, table, _ := strings.Cut(text, "<table")
				head, foot, _ := strings.Cut(table, `<tbody class="totals">`)
				foot, body, _ := strings.Cut(foot, "<tbody>")
				heads, cells := strings.Count(head, "<th scope"), strings.Count(body, "<td")+strings.Count(body, "<th scope=\"row\"")
				totals := strings.Count(foot, "<td") + len(accounts)
				if heads != cells || heads != totals {
					t.Errorf("%v %s %q: %d headings, %d cells, %d in the total", accounts, compare, cols, heads, cells, totals)
				}
			}
		}
	}
}
