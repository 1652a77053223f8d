package packs

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/pdf"
)

// paper is a text that is written both as plain text and as PDF.
type paper struct {
	blocks []block
	narrow bool // as plain text, a table that is wider than a line has a block for each row
}

type blockKind int

const (
	heading blockKind = iota
	subheading
	paragraph
	emphasis
	note
	fields
	table
	verbatim // of plain text, which is not broken into lines
)

type block struct {
	kind   blockKind
	text   string
	fields []pdf.Field
	table  pdf.Table
}

func (p *paper) heading(text string) { p.blocks = append(p.blocks, block{kind: heading, text: text}) }
func (p *paper) subheading(text string) {
	p.blocks = append(p.blocks, block{kind: subheading, text: text})
}
func (p *paper) emphasis(text string) { p.blocks = append(p.blocks, block{kind: emphasis, text: text}) }
func (p *paper) note(text string)     { p.blocks = append(p.blocks, block{kind: note, text: text}) }
func (p *paper) paragraph(text string) {
	p.blocks = append(p.blocks, block{kind: paragraph, text: text})
}
func (p *paper) table(t pdf.Table) {
	p.blocks = append(p.blocks, block{kind: table, table: t})
}
func (p *paper) fields(list ...pdf.Field) {
	p.blocks = append(p.blocks, block{kind: fields, fields: list})
}

// writePDF writes the paper as PDF, dated by the instant.
func (p *paper) writePDF(w io.Writer, title string, at time.Time) error {
	doc := pdf.New(pdf.Properties{Title: title, Created: at}, pdf.Letterhead{})
	for _, b := range p.blocks {
		switch b.kind {
		case heading:
			doc.Heading(b.text)
		case subheading:
			doc.Subheading(b.text)
		case emphasis:
			doc.Emphasis(b.text)
		case note:
			doc.Note(b.text)
		case fields:
			doc.Fields(b.fields...)
		case table:
			doc.Table(b.table)
		default:
			doc.Paragraph(b.text)
		}
	}
	return doc.Write(w)
}

// lineWidth is the width of plain text in characters. Tables may be wider, except those of a narrow paper.
const lineWidth = 78

// text returns the paper as plain text.
func (p *paper) text() string {
	var out strings.Builder
	for i, b := range p.blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		switch b.kind {
		case heading:
			underlined(&out, b.text, "=")
		case subheading:
			underlined(&out, b.text, "-")
		case fields:
			plainFields(&out, b.fields)
		case table:
			if p.narrow && tableWidth(b.table) > lineWidth {
				plainRows(&out, b.table)
			} else {
				plainTable(&out, b.table)
			}
		case verbatim:
			out.WriteString(b.text)
		default:
			for line := range strings.SplitSeq(b.text, "\n") {
				wrapped(&out, line)
			}
		}
	}
	return out.String()
}

func underlined(out *strings.Builder, text, with string) {
	lines := broken(text, lineWidth)
	longest := 0
	for _, line := range lines {
		longest = max(longest, utf8.RuneCountInString(line))
	}
	fmt.Fprintf(out, "%s\n%s\n", strings.Join(lines, "\n"), strings.Repeat(with, longest))
}

// wrapped breaks a line between words.
func wrapped(out *strings.Builder, text string) {
	out.WriteString(strings.Join(broken(text, lineWidth), "\n"))
	out.WriteByte('\n')
}

// broken breaks a text between words into lines of at most so many characters. A longer word has a
// line of its own.
func broken(text string, most int) []string {
	lines := []string{""}
	width := 0
	for i, word := range strings.FieldsFunc(affiliate.OneLine(text), func(r rune) bool { return r == ' ' }) {
		size := utf8.RuneCountInString(word)
		last := len(lines) - 1
		switch {
		case i == 0:
			lines[last], width = word, size
		case width+1+size > most:
			lines, width = append(lines, word), size
		default:
			lines[last] += " " + word
			width += 1 + size
		}
	}
	return lines
}

func plainFields(out *strings.Builder, list []pdf.Field) {
	widest := 0
	for _, f := range list {
		widest = max(widest, utf8.RuneCountInString(f.Label))
	}
	for _, f := range list {
		label := f.Label + ":"
		for line := range strings.SplitSeq(f.Value, "\n") {
			for _, part := range broken(line, lineWidth-widest-2) {
				fmt.Fprintf(out, "%-*s %s\n", widest+1, label, part)
				label = ""
			}
		}
	}
}

// tableLines returns the lines of a table, its titles first, and the widths of its columns.
func tableLines(t pdf.Table) (lines [][]string, widths []int) {
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	lines = append([][]string{titles}, t.Rows...)
	lines = append(lines, t.Totals...)
	widths = make([]int, len(t.Columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(affiliate.OneLine(cell)))
		}
	}
	return lines, widths
}

// tableWidth returns the width of a table in characters.
func tableWidth(t pdf.Table) int {
	_, widths := tableLines(t)
	width := 2 * (len(widths) - 1)
	for _, w := range widths {
		width += w
	}
	return width
}

// plainRows writes each row of a table as a block: its first cell, and the others with their titles.
func plainRows(out *strings.Builder, t pdf.Table) {
	for i, row := range t.Rows {
		if i > 0 {
			out.WriteString("\n")
		}
		wrapped(out, row[0])
		var list []pdf.Field
		for n, cell := range row[1:] {
			list = append(list, pdf.Field{Label: "  " + t.Columns[n+1].Title, Value: cell})
		}
		plainFields(out, list)
	}
}

// plainTable aligns the columns of a table.
func plainTable(out *strings.Builder, t pdf.Table) {
	if len(t.Rows) == 0 && t.Empty != "" {
		wrapped(out, t.Empty)
		return
	}
	lines, widths := tableLines(t)
	rule := tableWidth(t)
	for n, line := range lines {
		if n == 1 || n == len(t.Rows)+1 && len(t.Totals) > 0 {
			fmt.Fprintln(out, strings.Repeat("-", rule))
		}
		var row strings.Builder
		for i, cell := range line {
			cell = affiliate.OneLine(cell)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				row.WriteString("  ")
			}
			if t.Columns[i].Right {
				row.WriteString(pad + cell)
			} else {
				row.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(row.String(), " "))
	}
}
