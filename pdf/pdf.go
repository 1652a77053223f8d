// Package pdf makes letters and statements as PDF on A4: letterhead, headings,
// paragraphs, facts, tables and places for signatures. Text is selectable, its fonts are
// embedded, its parts are tagged for programs that read aloud, and equal input gives equal bytes.
package pdf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Properties are what a reader of PDF shows about a document besides its pages.
type Properties struct {
	Title    string    // also at the foot of each page
	Author   string    // may be empty
	Language string    // a language tag, such as "en"; empty is "en"
	Created  time.Time // the only date in the file, to the second
}

// Letterhead is at the top of the first page. Parts that are empty are left out.
type Letterhead struct {
	Name    string
	Address []string // one line each
	Logo    Logo
}

// Field is a label with its value. A value may have several lines, divided by "\n".
type Field struct{ Label, Value string }

// Column is a column of a table. Columns of figures are set to the right.
type Column struct {
	Title string
	Right bool
}

// Table is a table. It breaks between rows, and each page repeats its titles.
type Table struct {
	Columns []Column
	Rows    [][]string // as many cells as columns
	Totals  [][]string // rows in bold below the others, never alone on a page
	Empty   string     // shown instead of rows if there are none
}

// Paper is a document in the making. Its methods add to its end.
//
// A character that the fonts lack, one of a script written from right to left, and a
// control character are printed as their number, such as [U+1F600], so that no name loses
// a letter unnoticed. [Paper.Substituted] lists them. Compatible and composed forms are
// equal: text is brought into the normal form NFC first.
type Paper struct {
	properties Properties
	head       Letterhead
	blocks     []func(*writing)
	missing    map[rune]bool
	err        error
}

// New begins a document.
func New(properties Properties, head Letterhead) *Paper {
	properties.Language = cmp.Or(properties.Language, "en")
	p := &Paper{missing: map[rune]bool{}}
	p.properties = Properties{
		Title: p.text(properties.Title), Author: p.text(properties.Author),
		Language: properties.Language, Created: properties.Created.UTC().Truncate(time.Second),
	}
	p.head = Letterhead{Name: p.text(head.Name), Address: p.texts(head.Address), Logo: head.Logo}
	return p
}

// Address adds the lines of a recipient's address.
func (p *Paper) Address(lines ...string) {
	lines = p.texts(lines)
	p.add(func(w *writing) { w.address(lines) })
}

// Heading adds the title of the document or of a part.
func (p *Paper) Heading(text string) {
	text = p.text(text)
	p.add(func(w *writing) { w.heading("H1", text, headingSize) })
}

// Subheading adds the title of a section. It stays with the first lines of what follows.
func (p *Paper) Subheading(text string) {
	text = p.text(text)
	p.add(func(w *writing) { w.heading("H2", text, subheadingSize) })
}

// Paragraph adds text, broken into lines at words. "\n" begins a new line.
func (p *Paper) Paragraph(text string) {
	text = p.text(text)
	p.add(func(w *writing) { w.paragraph(&w.root, text, regular, bodySize, ink) })
}

// Emphasis adds a paragraph in bold.
func (p *Paper) Emphasis(text string) {
	text = p.text(text)
	p.add(func(w *writing) { w.paragraph(&w.root, text, bold, bodySize, ink) })
}

// Note adds a paragraph in small grey type.
func (p *Paper) Note(text string) {
	text = p.text(text)
	p.add(func(w *writing) { w.paragraph(&w.root, text, regular, noteSize, grey) })
}

// Fields adds labels with their values, one below the other.
func (p *Paper) Fields(fields ...Field) {
	own := make([]Field, len(fields))
	for i, f := range fields {
		own[i] = Field{Label: p.text(f.Label), Value: p.text(f.Value)}
	}
	p.add(func(w *writing) { w.fields(own) })
}

// Table adds a table. Its type becomes smaller if the columns do not fit, and cells that
// are still too wide are broken into lines; nothing is cut off. Rows with another number of
// cells than columns are an error of [Paper.Write].
func (p *Paper) Table(table Table) {
	own := Table{Columns: slices.Clone(table.Columns), Empty: p.text(table.Empty)}
	for i := range own.Columns {
		own.Columns[i].Title = p.text(own.Columns[i].Title)
	}
	rows := func(rows [][]string) [][]string {
		texts := make([][]string, len(rows))
		for i, row := range rows {
			if len(row) != len(own.Columns) {
				p.err = errors.Join(p.err, fmt.Errorf("row %d of a table has %d cells for %d columns", i+1, len(row), len(own.Columns)))
			}
			texts[i] = p.texts(row)
		}
		return texts
	}
	own.Rows, own.Totals = rows(table.Rows), rows(table.Totals)
	p.add(func(w *writing) { w.table(own) })
}

// Signatures adds lines to sign on, side by side, each with a label below it. At most three
// have room; more are set in further rows.
func (p *Paper) Signatures(labels ...string) {
	labels = p.texts(labels)
	p.add(func(w *writing) { w.signatures(labels) })
}

// Substituted lists the characters so far that are printed as their numbers, in order.
func (p *Paper) Substituted() []rune {
	var runes []rune
	for r := range p.missing {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	return runes
}

// Write writes the document as PDF. Nothing is written if there is an error.
func (p *Paper) Write(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	if p.properties.Created.IsZero() {
		return errors.New("a document needs the time of its creation")
	}
	first, err := p.draw(0)
	if err != nil {
		return err
	}
	drawn, err := p.draw(first.pdf.PageCount()) // now with the number of pages at their foot
	if err != nil {
		return err
	}
	var plain bytes.Buffer
	if err := drawn.pdf.Output(&plain); err != nil {
		return fmt.Errorf("writing the document %q: %w", p.properties.Title, err)
	}
	file, err := drawn.tagged(plain.Bytes())
	if err != nil {
		return fmt.Errorf("tagging the document %q: %w", p.properties.Title, err)
	}
	_, err = w.Write(file)
	return err
}

func (p *Paper) add(block func(*writing)) { p.blocks = append(p.blocks, block) }

// draw sets all pages. Their number is printed at the foot of each, unless it is 0.
func (p *Paper) draw(pages int) (*writing, error) {
	w := newWriting(p.properties, pages)
	w.letterhead(p.head)
	for _, block := range p.blocks {
		block(w)
	}
	w.pdf.Close()
	if err := w.pdf.Error(); err != nil {
		return nil, fmt.Errorf("setting the document %q: %w", p.properties.Title, err)
	}
	return w, nil
}
