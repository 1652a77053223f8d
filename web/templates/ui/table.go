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
// [TextColumn], [ForeignColumn] or [CellColumn]; its methods return it with what follows from a row.
//
// The compiler copies what is generic for each kind of row, and methods even where nobody calls them.
// So options, headings and cells are made of a [look], which is not generic.
type Column[T any] struct {
	look
	cell        func(T) templ.Component
	title, tone func(T) string
	coin        func(T) affiliate.Coin
}

// look is what a column has that is the same for all rows. It has no methods, since columns would have them too.
type look struct {
	TableColumn
	head   templ.Component // instead of the label
	both   string          // class of heading and cells
	size   string          // class of the heading
	class  string          // class of cells
	order  string          // how the rows are sorted by it: ascending, descending or none; empty: they cannot be
	span   int             // how many columns its cells take; 0: one
	row    bool            // the cells are the headings of their rows
	silent bool            // the heading is for users who do not see the table
	place  Place           // in the rows of a phone
	absent bool
}

// content is what the cell of a column has in one row.
type content struct {
	of          templ.Component // nil: nothing
	title, tone string
	coin        affiliate.Coin
}

// Option changes what a column has that is the same for all rows.
type Option func(*look)

// CellColumn returns a column with what is in its cells.
func CellColumn[T any](label string, cell func(T) templ.Component, options ...Option) Column[T] {
	return Cells(TableColumn{Label: label}, cell, options...)
}

// Cells returns a column with what is in its cells.
func Cells[T any](c TableColumn, cell func(T) templ.Component, options ...Option) Column[T] {
	return Column[T]{look: lookOf(c, options), cell: cell}
}

func lookOf(c TableColumn, options []Option) look {
	l := look{TableColumn: c}
	for _, option := range options {
		option(&l)
	}
	return l
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
func Present[T any](columns ...Column[T]) (present []Column[T]) {
	for _, c := range columns {
		if !c.absent {
			present = append(present, c)
		}
	}
	return present
}

// ShownOf are the columns that the query shows.
func ShownOf[T any](q query.Query, columns []Column[T]) (shown []Column[T]) {
	for _, c := range columns {
		if shownBy(q, c.TableColumn) {
			shown = append(shown, c)
		}
	}
	return shown
}

// TextColumn returns a column of texts of our own.
func TextColumn[T any](label string, text func(T) string, options ...Option) Column[T] {
	return CellColumn(label, func(row T) templ.Component { return Text(text(row)) }, options...)
}

// ForeignColumn returns a column of texts of others, which may be written from right to left.
func ForeignColumn[T any, S ~string](label string, text func(T) S, options ...Option) Column[T] {
	return CellColumn(label, func(row T) templ.Component { return Foreign(string(text(row))) }, options...)
}

// Kept returns the column as one that stays visible while the table scrolls sideways, with the
// coin of its amounts, which phones show.
func (c Column[T]) Kept(coin func(T) affiliate.Coin) Column[T] { c.Keep, c.coin = true, coin; return c }

// Coined returns the column with the coin of its amounts, which phones show.
func (c Column[T]) Coined(coin func(T) affiliate.Coin) Column[T] { c.coin = coin; return c }

// Toned returns the column with classes of each cell that follow from its row.
func (c Column[T]) Toned(tone func(T) string) Column[T] { c.tone = tone; return c }

// Titled returns the column with the title of each cell.
func (c Column[T]) Titled(title func(T) string) Column[T] { c.title = title; return c }

// Nums makes a column one of numbers.
func Nums(c *look) { c.Numeric = true }

// Descends lets the first click on the heading of a column sort descending.
func Descends(c *look) { c.Largest = true }

// Silent makes the heading of a column one for users who do not see the table.
func Silent(c *look) { c.silent = true }

// Hinted gives a column what its label does not say.
func Hinted(hint string) Option { return func(c *look) { c.Hint = hint } }

// Headed gives a column another heading than a text.
func Headed(head templ.Component) Option { return func(c *look) { c.head = head } }

// Classed gives the cells of a column further classes.
func Classed(class string) Option { return func(c *look) { c.class = join(c.class, class) } }

// Styled gives the heading and the cells of a column further classes.
func Styled(class string) Option { return func(c *look) { c.both = join(c.both, class) } }

// Sized gives the heading of a column further classes.
func Sized(class string) Option { return func(c *look) { c.size = join(c.size, class) } }

// Ordered says how the rows are sorted by a column: ascending, descending or none.
func Ordered(order string) Option { return func(c *look) { c.order = order } }

// Names makes a column the one that names the rows, with classes of its cells.
func Names(class string) Option {
	return func(c *look) { c.row, c.class = true, join(c.class, class) }
}

// Place is where a phone shows the cells of a column, as a class. The rows of a table with placed columns
// have two lines there; columns without a place are left to wide screens, except that which stays visible.
type Place string

// Places in a row of a phone.
const (
	Lead      Place = "at-lead"          // what the row is about, which names it on all screens
	Figure    Place = "at-figure"        // its amount, at the end of the first line
	Note      Place = "at-note"          // what the second line says
	NamedNote Place = "at-note at-named" // the same, after the name of the column
)

// OnPhone gives a column a place in the rows of a phone.
func OnPhone(p Place) Option {
	return func(c *look) { c.place, c.row = p, c.row || p == Lead }
}

// Spanning lets the cells of a column take so many columns, for rows of totals.
func Spanning(columns int) Option { return func(c *look) { c.span = columns } }

// If leaves a column out of the table if the condition does not hold.
func If(condition bool) Option { return func(c *look) { c.absent = !condition } }

// Of returns the columns for rows that hold the ones for which they are made.
func Of[U, T any](columns []Column[T], of func(U) T) []Column[U] {
	list := make([]Column[U], len(columns))
	for i, c := range columns {
		list[i] = Column[U]{look: c.look, cell: after(of, c.cell), title: after(of, c.title), tone: after(of, c.tone), coin: after(of, c.coin)}
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
	t.Columns = Present(t.Columns...)
	return frame{label: t.Label, labelledBy: t.LabelledBy, caption: t.Caption, class: t.Class, plain: t.Plain, scroll: t.Scroll, scrollID: t.ScrollID,
		headClass: t.HeadClass, footClass: t.FootClass, none: t.None, foot: t.Foot, body: bodyOf(&t)}.render(ctx, w)
}

func bodyOf[T any](t *Table[T]) body {
	return body{looksOf(t.Columns), len(t.Rows), func(row int) line { return lineOf(t, row) }, func(row, column int) content { return contentOf(t.Columns[column], t.Rows[row]) }}
}

func lineOf[T any](t *Table[T], i int) line {
	row, l := t.Rows[i], line{class: t.RowClass}
	if t.Further > 0 && i >= t.Further {
		l.class = "further"
	}
	if t.ClassOf != nil {
		l.class = t.ClassOf(row)
	}
	if t.ID != nil {
		l.id = t.ID(row)
	}
	if t.Attributes != nil {
		l.attributes = t.Attributes(row)
	}
	if t.After != nil {
		l.after = t.After(row)
	}
	return l
}

func contentOf[T any](c Column[T], row T) content {
	is := content{of: c.cell(row)}
	if c.tone != nil {
		is.tone = c.tone(row)
	}
	if c.title != nil {
		is.title = c.title(row)
	}
	if c.coin != nil {
		is.coin = c.coin(row)
	}
	return is
}

func looksOf[T any](columns []Column[T]) []look {
	looks := make([]look, len(columns))
	for i := range columns {
		looks[i] = columns[i].look
	}
	return looks
}

// Rows are the rows of a [Grid].
func Rows[T any](columns []Column[T], rows []T) templ.Component {
	return templ.ComponentFunc(bodyOf(&Table[T]{Columns: columns, Rows: rows}).render)
}

// frame is a [Table] whatever its rows are.
type frame struct {
	label, labelledBy, caption, class, plain, scroll, scrollID, headClass, footClass, none string
	foot                                                                                   templ.Component
	body                                                                                   body
}

// body is the rows of a table whatever they are.
type body struct {
	columns []look
	rows    int
	line    func(row int) line
	cell    func(row, column int) content
}

// line is what a row has besides its cells.
type line struct {
	class, id  string
	attributes templ.Attributes
	after      templ.Component // rows after it; nil: none
}

func (t frame) render(ctx context.Context, w io.Writer) error {
	name := attribute("aria-label", t.label)
	if t.labelledBy != "" {
		name = attribute("aria-labelledby", t.labelledBy)
	}
	if t.scroll == "" {
		return t.table(ctx, w, name)
	}
	if err := write(w, "<div", attribute("id", t.scrollID), classes("scroll-x", t.scroll), ` data-scroll tabindex="0" role="group"`, name, ">"); err != nil {
		return err
	}
	if err := t.table(ctx, w, name); err != nil {
		return err
	}
	return write(w, "</div>")
}

func (t frame) table(ctx context.Context, w io.Writer, name string) error {
	class := join("grid-table", t.class)
	if t.plain != "" {
		class = t.plain
	}
	if err := write(w, "<table", classes(class), name, ">"); err != nil {
		return err
	}
	if t.caption != "" {
		if err := write(w, `<caption class="sr-only">`, templ.EscapeString(t.caption), "</caption>"); err != nil {
			return err
		}
	}
	if err := renderHead(ctx, w, t.headClass, t.body.columns); err != nil {
		return err
	}
	if err := write(w, " <tbody>"); err != nil {
		return err
	}
	if err := t.body.render(ctx, w); err != nil {
		return err
	}
	if t.body.rows == 0 && t.none != "" {
		if err := write(w, `<tr><td class="text-muted"`, attribute("colspan", Itoa(len(t.body.columns))), ">", templ.EscapeString(t.none), "</td></tr>"); err != nil {
			return err
		}
	}
	if err := write(w, "</tbody>"); err != nil {
		return err
	}
	if t.foot != nil {
		if err := write(w, "<tfoot", classes(t.footClass), ">"); err != nil {
			return err
		}
		if err := t.foot.Render(ctx, w); err != nil {
			return err
		}
		if err := write(w, "</tfoot>"); err != nil {
			return err
		}
	}
	return write(w, "</table>")
}

func (b body) render(ctx context.Context, w io.Writer) error {
	for i := range b.rows {
		line := b.line(i)
		if err := write(w, "<tr", attribute("id", line.id), classes(line.class)); err != nil {
			return err
		}
		if err := templ.RenderAttributes(ctx, w, line.attributes); err != nil {
			return err
		}
		if err := write(w, ">"); err != nil {
			return err
		}
		for at, c := range b.columns {
			if err := renderCell(ctx, w, c, b.cell(i, at)); err != nil {
				return err
			}
		}
		if err := write(w, "</tr>"); err != nil {
			return err
		}
		if line.after != nil {
			if err := line.after.Render(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

func renderHead(ctx context.Context, w io.Writer, class string, columns []look) error {
	if err := write(w, "<thead", classes(class), "><tr>"); err != nil {
		return err
	}
	for _, c := range columns {
		if err := renderHeading(ctx, w, c); err != nil {
			return err
		}
	}
	return write(w, "</tr></thead>")
}

func renderHeading(ctx context.Context, w io.Writer, c look) error {
	if err := write(w, `<th scope="col"`, classes(layout(c), c.both, c.size), attribute("title", c.Hint), attribute("aria-sort", c.order), ">"); err != nil {
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
func layout(c look) string {
	var names []string
	if c.Numeric {
		names = append(names, "num")
	}
	if c.Keep {
		names = append(names, "keep")
	}
	return join(append(names, string(c.place))...)
}

func renderCell(ctx context.Context, w io.Writer, c look, is content) error {
	begin, end := "<td", "</td>"
	if c.row {
		begin, end = `<th scope="row"`, "</th>"
	}
	span := ""
	if c.span > 0 {
		span = Itoa(c.span)
	}
	if err := write(w, begin, classes(layout(c), c.both, c.class, is.tone), attribute("title", is.title), attribute("data-coin", string(is.coin)), attribute("data-column", columnName(c)), attribute("colspan", span), ">"); err != nil {
		return err
	}
	if is.of != nil {
		if err := is.of.Render(ctx, w); err != nil {
			return err
		}
	}
	return write(w, end)
}

// columnName is the name of a column that its cells show on a phone.
func columnName(c look) string {
	if c.place == NamedNote {
		return c.Label
	}
	return ""
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
