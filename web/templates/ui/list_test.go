package ui

import (
	"testing"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/query"
)

// Head, rows and totals of a list have the columns that the query shows, in their order.
func TestListColumns(t *testing.T) {
	type row struct{ name, count, sum string }
	columns := []Column[row]{
		Cells(TableColumn{Label: "Name"}, func(r row) templ.Component { return Text(r.name) }, Names("font-normal")),
		Cells(TableColumn{Name: "count", Label: "Count"}, func(r row) templ.Component { return Text(r.count) }, Nums).Titled(func(row) string { return "a title" }),
		Cells(TableColumn{Field: "sum", Label: "Sum"}, func(r row) templ.Component { return Text(r.sum) }, Nums, Classed("font-medium")).Kept(func(row) affiliate.Coin { return "BTC" }),
	}
	for cols, want := range map[string]string{
		"":      `<tr><th scope="row" class="text-left" colspan="1">Total</th><td class="num">9</td><td class="num keep" data-coin="USDT">12</td></tr>`,
		"other": `<tr><th scope="row" class="text-left" colspan="1">Total</th><td class="num keep" data-coin="USDT">12</td></tr>`,
	} {
		shown := ShownOf(query.Query{Cols: cols}, columns)
		total := row{"", "9", "12"}
		if got := pagetest.Text(t, SumRow[row]{Words: Text("Total"), Span: 1, Columns: shown, Coin: "USDT", Cell: func(c Column[row]) templ.Component { return Cell(c, total) }}); got != want {
			t.Errorf("%q: totals %s, want %s", cols, got, want)
		}
	}
	for sorted, want := range map[string][]bool{"sum": {false, false, true}, "count": {false, false, true}} {
		kept := KeepSorted(query.Query{Sort: query.Sort{Field: sorted}}, []Column[row]{columns[0], columns[1], columns[2]})
		for i, c := range kept {
			if c.Keep != want[i] {
				t.Errorf("sorted by %s, column %d stays visible: %t", sorted, i, c.Keep)
			}
		}
	}
}

// Rows after the first ones are folded up, and a cell has the classes of its own row.
func TestFurtherRows(t *testing.T) {
	column := TextColumn("N", func(n int) string { return Itoa(n) }).Toned(func(n int) string { return ClassIf(n == 2, "italic") })
	want := `<table class="coins" aria-label="Numbers"><thead><tr><th scope="col">N</th></tr></thead> <tbody><tr><td>1</td></tr><tr class="further"><td class="italic">2</td></tr></tbody></table>`
	if got := pagetest.Text(t, Table[int]{Plain: "coins", Label: "Numbers", Columns: []Column[int]{column}, Rows: []int{1, 2}, Further: 1}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
