package ui

import (
	"context"
	"io"
	"slices"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
)

// List is the table of a report: a [Grid] of those columns that its query shows.
func List[T any](g GridView, columns []Column[T], rows []T) templ.Component {
	g.Columns = Heads(columns)
	g.Paired = slices.ContainsFunc(columns, func(c Column[T]) bool { return c.place != "" })
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return Grid(g).Render(templ.WithChildren(ctx, Rows(ShownOf(g.Links.Query, columns), rows)), w)
	})
}

// SumRow is a row of totals: words over the first columns, and the sums of the others.
type SumRow[T any] struct {
	Class   string
	Words   templ.Component
	Span    int                             // how many columns the words are over
	Columns []Column[T]                     // that are shown
	Coin    affiliate.Coin                  // of the column that stays visible; empty: of no coin
	Cell    func(Column[T]) templ.Component // returns nil for a column without a sum
}

// Render implements [templ.Component].
func (s SumRow[T]) Render(ctx context.Context, w io.Writer) error {
	return renderSums(ctx, w, s.Class, s.Words, s.Span, s.Coin, looksOf(s.Columns), func(column int) templ.Component { return s.Cell(s.Columns[column]) })
}

func renderSums(ctx context.Context, w io.Writer, class string, words templ.Component, span int, coin affiliate.Coin, columns []look, cell func(column int) templ.Component) error {
	if err := write(w, "<tr", classes(class), `><th scope="row" class="text-left" colspan="`, Itoa(span), `">`); err != nil {
		return err
	}
	if err := words.Render(ctx, w); err != nil {
		return err
	}
	if err := write(w, "</th>"); err != nil {
		return err
	}
	for i := span; i < len(columns); i++ {
		c, sum := columns[i], content{of: cell(i)}
		c.class = ""
		if c.Keep || c.place == Figure {
			sum.coin = coin
		}
		if err := renderCell(ctx, w, c, sum); err != nil {
			return err
		}
	}
	return write(w, "</tr>")
}

// SortColumn returns a column by whose field a list can be sorted; it cannot if the field is empty.
func SortColumn[T any](field, label, hint string, cell func(T) templ.Component, options ...Option) Column[T] {
	return Cells(TableColumn{Field: field, Label: label, Hint: hint}, cell, options...)
}

// NumberColumn is a [SortColumn] of numbers, the largest first.
func NumberColumn[T any](field, label, hint string, cell func(T) templ.Component, options ...Option) Column[T] {
	return SortColumn(field, label, hint, cell, append([]Option{Nums, Descends}, options...)...)
}

// Cell is what is in the cell of a row.
func Cell[T any](c Column[T], row T) templ.Component { return c.cell(row) }

// Head is the head of a table with groups of [Rows].
func Head[T any](columns []Column[T]) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error { return renderHead(ctx, w, "", looksOf(columns)) })
}

// PlainLink is a link to an address of ours that is loaded as a new page.
func PlainLink(class, address, title string, of templ.Component) templ.Component {
	return around("<a"+classes(class)+attribute("href", string(templ.URL(address)))+attribute("title", title)+` hx-boost="false">`, of, "</a>")
}
