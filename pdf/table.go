package pdf

import (
	"fmt"
	"strings"
)

const (
	tableSize    = 8.5
	tableMinimum = 6.0
	tableStep    = 0.25
	cellGap      = 4.0 // between columns
	cellPad      = 0.9 // above and below the text of a row
)

// grid is a table with the widths and the type that it is set in.
type grid struct {
	Table
	element *element
	size    float64
	widths  []float64
}

// table sets a table: titles on each page, rows unbroken where a page has room for them,
// and totals with the last row.
func (w *writing) table(table Table) {
	g := w.layout(table)
	g.element = w.root.tag("Table", "")
	w.room(w.height(g, g.titles(), bold) + 3*(g.size*lineHeight+2*cellPad))
	titles := g.element.tag("TR", "")
	for range g.Columns {
		titles.tag("TH", columnTitle)
	}
	w.titles(g, titles.parts)
	if len(g.Rows) == 0 && g.Empty != "" {
		w.pdf.SetY(w.pdf.GetY() + cellPad)
		cell := g.element.tag("TR", "").tag("TD", fmt.Sprintf("/A <</O /Table /ColSpan %d>>", len(g.Columns)))
		w.paragraph(cell, g.Empty, regular, g.size, grey)
	}
	totals := 0.0
	for _, row := range g.Totals {
		totals += w.height(g, row, bold)
	}
	for i, row := range g.Rows {
		height := w.height(g, row, regular)
		if i == len(g.Rows)-1 {
			height += totals
		}
		w.row(g, row, regular, height)
		if i < len(g.Rows)-1 || len(g.Totals) == 0 {
			w.rule(w.pdf.GetY(), ruling)
		}
	}
	for i, row := range g.Totals {
		if i == 0 {
			w.rule(w.pdf.GetY(), strong)
		}
		w.row(g, row, bold, w.height(g, row, bold))
	}
	w.space(2 * gap)
}

func (g grid) titles() []string {
	titles := make([]string, len(g.Columns))
	for i, column := range g.Columns {
		titles[i] = column.Title
	}
	return titles
}

// layout finds the largest type in which no cell needs to be broken within a word. If there
// is none, the widest columns are narrowed and their cells broken.
func (w *writing) layout(table Table) grid {
	g := grid{Table: table}
	room := bodyWidth - cellGap*float64(len(table.Columns)-1)
	for g.size = tableSize; ; g.size -= tableStep {
		least, natural := w.columnWidths(g)
		if sum(natural) <= room {
			g.widths = spread(natural, room)
			return g
		}
		if sum(least) <= room {
			g.widths = between(least, natural, room)
			return g
		}
		if g.size-tableStep < tableMinimum {
			g.widths = narrowed(least, room)
			return g
		}
	}
}

// columnWidths are, for each column, the width of the longest word and of the longest line,
// which is the same in columns of figures.
// Titles may be broken between words in both.
func (w *writing) columnWidths(g grid) (least, natural []float64) {
	least, natural = make([]float64, len(g.Columns)), make([]float64, len(g.Columns))
	measure := func(i int, text string, words bool) {
		for line := range strings.SplitSeq(text, "\n") {
			if !words {
				natural[i] = max(natural[i], w.pdf.GetStringWidth(line)+0.1)
			}
			for word := range strings.FieldsSeq(line) {
				least[i] = max(least[i], w.pdf.GetStringWidth(word)+0.1)
			}
			if g.Columns[i].Right && !words { // a figure and its unit stay together
				least[i] = max(least[i], natural[i])
			}
		}
		natural[i] = max(natural[i], least[i])
	}
	w.set(bold, g.size, ink)
	for i, column := range g.Columns {
		measure(i, column.Title, true)
		for _, row := range g.Totals {
			measure(i, row[i], false)
		}
	}
	w.set(regular, g.size, ink)
	for i := range g.Columns {
		for _, row := range g.Rows {
			measure(i, row[i], false)
		}
	}
	return least, natural
}

// spread shares the room that is left over equally among the columns.
func spread(widths []float64, room float64) []float64 {
	more := (room - sum(widths)) / float64(max(1, len(widths)))
	for i := range widths {
		widths[i] += more
	}
	return widths
}

// between gives each column its least width, and the rest in proportion to what it lacks.
func between(least, natural []float64, room float64) []float64 {
	wanted := sum(natural) - sum(least)
	left := room - sum(least)
	for i := range least {
		least[i] += left * (natural[i] - least[i]) / wanted
	}
	return least
}

// narrowed brings the widest columns down to one width, so that all fit.
func narrowed(widths []float64, room float64) []float64 {
	low, high := 0.0, room
	for range 40 {
		limit := (low + high) / 2
		total := 0.0
		for _, width := range widths {
			total += min(width, limit)
		}
		if total > room {
			high = limit
		} else {
			low = limit
		}
	}
	for i := range widths {
		widths[i] = min(widths[i], low)
	}
	return widths
}

func sum(widths []float64) float64 {
	total := 0.0
	for _, width := range widths {
		total += width
	}
	return total
}

// cells breaks the cells of a row into lines.
func (w *writing) cells(g grid, row []string, style string) (cells [][]string, lines int) {
	w.set(style, g.size, ink)
	for i, text := range row {
		cell := w.lines(text, g.widths[i])
		cells = append(cells, cell)
		lines = max(lines, len(cell))
	}
	return cells, lines
}

func (w *writing) height(g grid, row []string, style string) float64 {
	_, lines := w.cells(g, row, style)
	return float64(lines)*g.size*lineHeight + 2*cellPad
}

// titles sets the titles of the columns, at their lower edge. Above rows that go on they are decoration.
func (w *writing) titles(g grid, elements []*element) {
	cells, lines := w.cells(g, g.titles(), bold)
	w.pdf.SetY(w.pdf.GetY() + cellPad)
	for i := range lines {
		w.cellLine(g, elements, cells, i-lines, bold, grey)
	}
	w.pdf.SetY(w.pdf.GetY() + cellPad)
	w.rule(w.pdf.GetY(), strong)
}

// row sets a row where a height has room: on the next page, below the titles, if not here.
// A row higher than a page goes on over pages.
func (w *writing) row(g grid, row []string, style string, height float64) {
	if w.room(height) {
		w.titles(g, make([]*element, len(g.Columns)))
	}
	elements := g.element.tag("TR", "")
	for i := range row {
		if i == 0 && style == bold {
			elements.tag("TH", rowTitle)
		} else {
			elements.tag("TD", "")
		}
	}
	cells, lines := w.cells(g, row, style)
	w.pdf.SetY(w.pdf.GetY() + cellPad)
	for i := range lines {
		if w.room(g.size * lineHeight) {
			w.titles(g, make([]*element, len(g.Columns)))
		}
		w.cellLine(g, elements.parts, cells, i, style, ink)
	}
	w.pdf.SetY(w.pdf.GetY() + cellPad)
}

// cellLine sets one line of all cells of a row. A negative number counts from their ends.
func (w *writing) cellLine(g grid, elements []*element, cells [][]string, number int, style string, colour shade) {
	w.set(style, g.size, colour)
	x := marginLeft
	height := g.size * lineHeight
	for i, cell := range cells {
		at := number
		if at < 0 {
			at += len(cell)
		}
		if at >= 0 && at < len(cell) {
			w.put(elements[i], x, w.pdf.GetY()+height*0.76, cell[at], g.Columns[i].Right, g.widths[i])
		}
		x += g.widths[i] + cellGap
	}
	w.pdf.SetY(w.pdf.GetY() + height)
}
