package ui

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// Column is a column of a table: its heading, and its cell in each row. It is made by
// [TextColumn], [ForeignColumn] or [CellColumn], and its methods return it with one thing changed.
type Column[T any] struct {
	TableColumn
	look
	cell        func(T) templ.Component
	title, tone func(T) string
	coin        func(T) affiliate.Coin
}

// look is what a column has that is the same for all rows.
type look struct {
	head   templ.Component // instead of the label
	both   string          // class of heading and cells
	size   string          // class of the heading
	class  string          // class of cells
	order  string          // how the rows are sorted by it: ascending, descending or none; empty: they cannot be
	span   int             // how many columns its cells take; 0: one
	row    bool            // the cells are the headings of their rows
	silent bool            // the heading is for users who do not see the table
	absent bool
}

// CellColumn returns a column with what is in its cells.
func CellColumn[T any](label string, cell func(T) templ.Component) Column[T] {
	return Column[T]{TableColumn: TableColumn{Label: label}, cell: cell}
}

// Cells returns a column with what is in its cells.
func Cells[T any](c TableColumn, cell func(T) templ.Component) Column[T] {
	return Column[T]{TableColumn: c, cell: cell}
}

// Heads are the columns without their cells.
func Heads[T any](columns []Column[T]) []TableColumn {
	heads := make([]TableColumn, len(columns))
	for i, c := range columns {
		heads[i] = c.TableColumn
	}
	return heads
}

// Present are the columns that a table has.
func Present[T any](columns ...Column[T]) []Column[T] {
	return slices.DeleteFunc(columns, func(c Column[T]) bool { return c.absent })
}

// ShownOf are the columns that the query shows.
func ShownOf[T any](q query.Query, columns []Column[T]) []Column[T] {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column[T]) bool { return !c.Shown(q) })
}

// TextColumn returns a column of texts of our own.
func TextColumn[T any](label string, text func(T) string) Column[T] {
	return CellColumn(label, func(row T) templ.Component { return Text(text(row)) })
}

// ForeignColumn returns a column of texts of others, which may be written from right to left.
func ForeignColumn[T any, S ~string](label string, text func(T) S) Column[T] {
	return CellColumn(label, func(row T) templ.Component { return Foreign(string(text(row))) })
}

// Nums returns the column as one of numbers.
func (c Column[T]) Nums() Column[T] { c.Numeric = true; return c }

// Kept returns the column as one that stays visible while the table scrolls sideways, with the
// coin of its amounts, which phones show.
func (c Column[T]) Kept(coin func(T) affiliate.Coin) Column[T] { c.Keep, c.coin = true, coin; return c }

// Hinted returns the column with what its label does not say.
func (c Column[T]) Hinted(hint string) Column[T] { c.Hint = hint; return c }

// Headed returns the column with another heading than a text.
func (c Column[T]) Headed(head templ.Component) Column[T] { c.head = head; return c }

// Silent returns the column with a heading for users who do not see the table.
func (c Column[T]) Silent() Column[T] { c.silent = true; return c }

// Classed returns the column with further classes of its cells.
func (c Column[T]) Classed(class string) Column[T] { c.class = join(c.class, class); return c }

// Toned returns the column with classes of each cell that follow from its row.
func (c Column[T]) Toned(tone func(T) string) Column[T] { c.tone = tone; return c }

// Styled returns the column with further classes of its heading and its cells.
func (c Column[T]) Styled(class string) Column[T] { c.both = join(c.both, class); return c }

// Sized returns the column with further classes of its heading.
func (c Column[T]) Sized(class string) Column[T] { c.size = join(c.size, class); return c }

// Ordered returns the column with how the rows are sorted by it: ascending, descending or none.
func (c Column[T]) Ordered(order string) Column[T] { c.order = order; return c }

// Titled returns the column with the title of each cell.
func (c Column[T]) Titled(title func(T) string) Column[T] { c.title = title; return c }

// Names returns the column as the one that names the rows, with classes of its cells.
func (c Column[T]) Names(class string) Column[T] { c.row = true; return c.Classed(class) }

// Spanning returns the column with cells that take so many columns, for rows of totals.
func (c Column[T]) Spanning(columns int) Column[T] { c.span = columns; return c }

// If returns the column; the table does not have it if the condition does not hold.
func (c Column[T]) If(condition bool) Column[T] { c.absent = !condition; return c }

// Of returns the columns for rows that hold the ones for which they are made.
func Of[U, T any](columns []Column[T], of func(U) T) []Column[U] {
	list := make([]Column[U], len(columns))
	for i, c := range columns {
		list[i] = Column[U]{TableColumn: c.TableColumn, look: c.look, cell: after(of, c.cell), title: after(of, c.title), tone: after(of, c.tone), coin: after(of, c.coin)}
	}
	return list
}

func after[U, T, V any](of func(U) T, then func(T) V) func(U) V {
	if then == nil {
		return nil
	}
	return func(row U) V { return then(of(row)) }
}

// Table is a table on a page. It renders as its HTML.
type Table[T any] struct {
	Label      string // for users who do not see it
	LabelledBy string // id of its title, instead of a label
	Caption    string // for users who do not see it
	Class      string // besides grid-table
	Plain      string // class instead of grid-table
	Scroll     string // classes of the place in which it scrolls; empty: it has none
	ScrollID   string // id of that place
	Columns    []Column[T]
	Rows       []T
	HeadClass  string
	FootClass  string
	RowClass   string
	ClassOf    func(T) string           // of a row, instead of RowClass
	Further    int                      // how many rows stand before those that are folded up; 0: all
	ID         func(T) string           // of a row
	Attributes func(T) templ.Attributes // of a row, further ones
	After      func(T) templ.Component  // rows after a row
	None       string                   // row of a table without rows
	Foot       templ.Component          // rows at its end
}

// Classes of places in which tables scroll: below the heading of a panel, and within a part of it.
const (
	ScrollPanel = "border-line overflow-x-auto rounded-b-xl border-t"
	ScrollPart  = "border-line mt-3 max-h-96 overflow-auto rounded-lg border"
)

// Render implements [templ.Component].
func (t Table[T]) Render(ctx context.Context, w io.Writer) error {
	name := attribute("aria-label", t.Label)
	if t.LabelledBy != "" {
		name = attribute("aria-labelledby", t.LabelledBy)
	}
	if t.Scroll == "" {
		return t.render(ctx, w, name)
	}
	if err := write(w, "<div", attribute("id", t.ScrollID), classes("scroll-x", t.Scroll), ` data-scroll tabindex="0" role="group"`, name, ">"); err != nil {
		return err
	}
	if err := t.render(ctx, w, name); err != nil {
		return err
	}
	return write(w, "</div>")
}

func (t Table[T]) render(ctx context.Context, w io.Writer, name string) error {
	shown := Present(slices.Clone(t.Columns)...)
	class := join("grid-table", t.Class)
	if t.Plain != "" {
		class = t.Plain
	}
	if err := write(w, "<table", classes(class), name, ">"); err != nil {
		return err
	}
	if t.Caption != "" {
		if err := write(w, `<caption class="sr-only">`, templ.EscapeString(t.Caption), "</caption>"); err != nil {
			return err
		}
	}
	if err := renderHead(ctx, w, t.HeadClass, shown); err != nil {
		return err
	}
	if err := write(w, " <tbody>"); err != nil {
		return err
	}
	if err := t.renderRows(ctx, w, shown); err != nil {
		return err
	}
	if len(t.Rows) == 0 && t.None != "" {
		if err := write(w, `<tr><td class="text-muted"`, attribute("colspan", Itoa(len(shown))), ">", templ.EscapeString(t.None), "</td></tr>"); err != nil {
			return err
		}
	}
	if err := write(w, "</tbody>"); err != nil {
		return err
	}
	if t.Foot != nil {
		if err := write(w, "<tfoot", classes(t.FootClass), ">"); err != nil {
			return err
		}
		if err := t.Foot.Render(ctx, w); err != nil {
			return err
		}
		if err := write(w, "</tfoot>"); err != nil {
			return err
		}
	}
	return write(w, "</table>")
}

// Rows are the rows of a [Grid].
func Rows[T any](columns []Column[T], rows []T) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return Table[T]{Rows: rows}.renderRows(ctx, w, columns)
	})
}

func (t Table[T]) renderRows(ctx context.Context, w io.Writer, shown []Column[T]) error {
	for i, row := range t.Rows {
		class, id := t.RowClass, ""
		if t.Further > 0 && i >= t.Further {
			class = "further"
		}
		if t.ClassOf != nil {
			class = t.ClassOf(row)
		}
		if t.ID != nil {
			id = t.ID(row)
		}
		if err := write(w, "<tr", attribute("id", id), classes(class)); err != nil {
			return err
		}
		if t.Attributes != nil {
			if err := templ.RenderAttributes(ctx, w, t.Attributes(row)); err != nil {
				return err
			}
		}
		if err := write(w, ">"); err != nil {
			return err
		}
		for _, c := range shown {
			if err := c.render(ctx, w, row); err != nil {
				return err
			}
		}
		if err := write(w, "</tr>"); err != nil {
			return err
		}
		if t.After != nil {
			if err := t.After(row).Render(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c Column[T]) heading(ctx context.Context, w io.Writer) error {
	if err := write(w, `<th scope="col"`, classes(c.layout(), c.both, c.size), attribute("title", c.Hint), attribute("aria-sort", c.order), ">"); err != nil {
		return err
	}
	switch {
	case c.head != nil:
		if err := c.head.Render(ctx, w); err != nil {
			return err
		}
	case c.silent:
		if err := write(w, `<span class="sr-only">`, templ.EscapeString(c.Label), "</span>"); err != nil {
			return err
		}
	default:
		if err := write(w, templ.EscapeString(c.Label)); err != nil {
			return err
		}
	}
	return write(w, "</th>")
}

// layout is the class of heading and cells that follows from what the column is.
func (c Column[T]) layout() string {
	switch {
	case c.Numeric && c.Keep:
		return "num keep"
	case c.Numeric:
		return "num"
	case c.Keep:
		return "keep"
	}
	return ""
}

func (c Column[T]) render(ctx context.Context, w io.Writer, row T) error {
	begin, end := "<td", "</td>"
	if c.row {
		begin, end = `<th scope="row"`, "</th>"
	}
	var title, coin, tone, span string
	if c.span > 0 {
		span = Itoa(c.span)
	}
	if c.tone != nil {
		tone = c.tone(row)
	}
	if c.title != nil {
		title = c.title(row)
	}
	if c.coin != nil {
		coin = string(c.coin(row))
	}
	if err := write(w, begin, classes(c.layout(), c.both, c.class, tone), attribute("title", title), attribute("data-coin", coin), attribute("colspan", span), ">"); err != nil {
		return err
	}
	if cell := c.cell(row); cell != nil {
		if err := cell.Render(ctx, w); err != nil {
			return err
		}
	}
	return write(w, end)
}

// classes is the attribute class, if there is any.
func classes(names ...string) string { return attribute("class", join(names...)) }

func join(names ...string) string {
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == "" }), " ")
}

// attribute is an attribute with its value, if it has one.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + templ.EscapeString(value) + `"`
}

func write(w io.Writer, texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}
