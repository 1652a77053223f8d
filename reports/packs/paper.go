package packs

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/document"
)

// paper is a text that is written both as plain text and as PDF.
type paper struct{ blocks []block }

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
	fields []document.PaperField
	table  document.PaperTable
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
func (p *paper) table(t document.PaperTable) {
	p.blocks = append(p.blocks, block{kind: table, table: t})
}
func (p *paper) fields(list ...document.PaperField) {
	p.blocks = append(p.blocks, block{kind: fields, fields: list})
}

// writePDF writes the paper as PDF, dated by the instant.
func (p *paper) writePDF(w io.Writer, title string, at time.Time) error {
	doc := document.New(document.Properties{Title: title, Created: at}, document.Letterhead{})
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

// lineWidth is the width of plain text in characters. Tables may be wider.
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
			plainTable(&out, b.table)
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
	text = affiliate.OneLine(text)
	fmt.Fprintf(out, "%s\n%s\n", text, strings.Repeat(with, utf8.RuneCountInString(text)))
}

// wrapped breaks a line between words.
func wrapped(out *strings.Builder, text string) {
	width := 0
	for i, word := range strings.Fields(affiliate.OneLine(text)) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width+1+size > lineWidth:
			out.WriteByte('\n')
			width = 0
		default:
			out.WriteByte(' ')
			width++
		}
		out.WriteString(word)
		width += size
	}
	out.WriteByte('\n')
}

func plainFields(out *strings.Builder, list []document.PaperField) {
	widest := 0
	for _, f := range list {
		widest = max(widest, utf8.RuneCountInString(f.Label))
	}
	for _, f := range list {
		label := f.Label + ":"
		for line := range strings.SplitSeq(f.Value, "\n") {
			fmt.Fprintf(out, "%-*s %s\n", widest+1, label, affiliate.OneLine(line))
			label = ""
		}
	}
}

// plainTable aligns the columns of a table.
func plainTable(out *strings.Builder, t document.PaperTable) {
	if len(t.Rows) == 0 && t.Empty != "" {
		wrapped(out, t.Empty)
		return
	}
	titles := make([]string, len(t.Columns))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	lines := append([][]string{titles}, t.Rows...)
	lines = append(lines, t.Totals...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(affiliate.OneLine(cell)))
		}
	}
	rule := 2 * (len(widths) - 1)
	for _, width := range widths {
		rule += width
	}
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
