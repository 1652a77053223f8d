package ui

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
)

// part is a row in a row, as the sums of a month are in its lines.
type part struct {
	Coin affiliate.Coin
	Sum  string
}

type row struct {
	Name string
	part
}

var partColumns = []Column[part]{
	TextColumn("Sum", func(p part) string { return p.Sum }, Nums, Ordered("descending")).Kept(func(p part) affiliate.Coin { return p.Coin }).
		Toned(func(p part) string { return ClassIf(strings.HasPrefix(p.Sum, "-"), "text-error") }).Titled(func(p part) string { return p.Sum + " exactly" }),
	TextColumn("Hidden", func(part) string { return "never" }, If(false)),
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := Table[row]{Label: "Rows", Class: "dense", HeadClass: "head", FootClass: "foot", Rows: []row{{"<b>", part{"BTC", "-1.5"}}, {"two", part{"USDT", "2"}}},
		Columns:    append([]Column[row]{ForeignColumn("Name", func(r row) string { return r.Name }, Styled("wide"), Sized("w-42"), Sized("max-lg:w-40"), Names("font-normal"))}, Of(partColumns, func(r row) part { return r.part })...),
		ClassOf:    func(r row) string { return ClassIf(r.Name == "two", "second") },
		Attributes: func(r row) templ.Attributes { return templ.Attributes{"title": "row " + r.Name, "data-key": r.Name} },
		After:      func(r row) templ.Component { return When(r.Name == "two", Text("after two")) },
		Foot: Rows(Present(append([]Column[part]{TextColumn("", func(p part) string { return "Total " + string(p.Coin) }, Names("text-left"), Spanning(3))}, partColumns...)...),
			[]part{{"ETH", "7"}}),
	}
	want := `<table class="grid-table dense" aria-label="Rows"><thead class="head"><tr>` +
		`<th scope="col" class="wide w-42 max-lg:w-40">Name</th><th scope="col" class="num keep" aria-sort="descending">Sum</th></tr></thead> <tbody>` +
		`<tr data-key="&lt;b&gt;" title="row &lt;b&gt;"><th scope="row" class="wide font-normal"><bdi>&lt;b&gt;</bdi></th><td class="num keep text-error" title="-1.5 exactly" data-coin="BTC">-1.5</td></tr>` +
		`<tr class="second" data-key="two" title="row two"><th scope="row" class="wide font-normal"><bdi>two</bdi></th><td class="num keep" title="2 exactly" data-coin="USDT">2</td></tr>after two` +
		`</tbody><tfoot class="foot"><tr><th scope="row" class="text-left" colspan="3">Total ETH</th><td class="num keep" title="7 exactly" data-coin="ETH">7</td></tr></tfoot></table>`
	if got := pagetest.Source(t, table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTableWithoutRows(t *testing.T) {
	t.Parallel()
	table := Table[row]{LabelledBy: "title", Plain: "w-full", None: "Nothing < here.", Columns: []Column[row]{
		TextColumn("Name", func(r row) string { return r.Name }), TextColumn("Again", func(r row) string { return r.Name }, Silent), TextColumn("Not", func(r row) string { return r.Name }, If(false))}}
	want := `<table class="w-full" aria-labelledby="title"><thead><tr><th scope="col">Name</th><th scope="col"><span class="sr-only">Again</span></th></tr></thead> <tbody>` +
		`<tr><td class="text-muted" colspan="2">Nothing &lt; here.</td></tr></tbody></table>`
	if got := pagetest.Source(t, table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	table.None, table.Scroll, table.ScrollID = "", ScrollPanel, "rows"
	if got, want := pagetest.Source(t, table), `<div id="rows" class="scroll-x `+ScrollPanel+`" data-scroll tabindex="0" role="group" aria-labelledby="title"><table `; !strings.HasPrefix(got, want) {
		t.Errorf("got %s\nwant %s…", got, want)
	}
	if got := pagetest.Source(t, table); !strings.Contains(got, "<tbody></tbody>") {
		t.Errorf("a table that says nothing of no rows has some: %s", got)
	}
}
