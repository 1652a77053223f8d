package workbook

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Limits of a worksheet.
const (
	MaxRows    = 1_048_576
	MaxUnits   = 32_767 // UTF-16 units of a cell's text
	widestCell = 255    // characters
)

// Style is a look of cells: a number format, and whether the cell heads a column.
type Style struct {
	Format string // "" is the general format
	Header bool   // bold on grey
}

// Writer writes a workbook, sheet by sheet. Its parts wait, compressed, in a temporary file, because a
// workbook lists its sheets before them. Create one with [NewWriter].
type Writer struct {
	parts  *parts
	styles []Style
	number map[Style]int
	sheets []string
	filter []string // the range that the filter of each sheet covers, "" without one
	props  Properties

	sheet   io.Writer
	row     int
	columns int // of the widest row
	line    []byte
}

// Properties are what a workbook says of itself.
type Properties struct {
	Creator string
	Title   string
	Written time.Time // in UTC, also the time of the parts; zero: not said
}

// NewWriter returns the writer of a workbook, which keeps a temporary file until [Writer.Close].
func NewWriter(props Properties) (*Writer, error) {
	waiting, err := newParts(props.Written)
	if err != nil {
		return nil, fmt.Errorf("making room for a workbook: %w", err)
	}
	return &Writer{parts: waiting, props: props, number: map[Style]int{{}: 0}, styles: []Style{{}}}, nil
}

// Sheet says how a sheet looks.
type Sheet struct {
	Name   string
	Widths []int // of the columns from the first on, in characters
	Frozen bool  // the first row stays in sight, and has the button of a filter in each column
}

// Begin begins a sheet, and ends the one before.
func (w *Writer) Begin(s Sheet) error {
	if err := w.endSheet(); err != nil {
		return err
	}
	w.sheets = append(w.sheets, s.Name)
	w.filter = append(w.filter, "")
	w.row, w.columns = 0, 0
	if s.Frozen {
		w.filter[len(w.filter)-1] = "A1" // its end is known later
	}
	var err error
	if w.sheet, err = w.parts.create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(w.sheets))); err != nil {
		return err
	}
	b := append(w.line[:0], xmlHead+`<worksheet xmlns="`+mainSpace+`"><sheetViews><sheetView workbookViewId="0"`...)
	if len(w.sheets) == 1 {
		b = append(b, ` tabSelected="1"`...)
	}
	if s.Frozen {
		b = append(b, `><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`...)
	} else {
		b = append(b, `/></sheetViews>`...)
	}
	b = append(b, `<sheetFormatPr defaultRowHeight="15"/>`...)
	if len(s.Widths) > 0 {
		b = append(b, "<cols>"...)
		for i, width := range s.Widths {
			b = fmt.Appendf(b, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, min(width, widestCell))
		}
		b = append(b, "</cols>"...)
	}
	w.line = append(b, "<sheetData>"...)
	return w.flush()
}

func (w *Writer) flush() error {
	_, err := w.sheet.Write(w.line)
	w.line = w.line[:0]
	return err
}

// Put is a cell to write. The zero value is an empty cell.
type Put struct {
	Style Style
	Text  string // of a text cell
	// Number is a plain number, as the file shall hold it; it makes the cell a number.
	Number string
	True   *bool // makes the cell a truth value
}

// Row writes the next row.
func (w *Writer) Row(cells []Put) error {
	if w.row == MaxRows {
		return errors.New("a sheet has no room for more rows")
	}
	w.row++
	w.columns = max(w.columns, len(cells))
	b := append(w.line[:0], `<row r="`...)
	b = strconv.AppendInt(b, int64(w.row), 10)
	b = append(b, `">`...)
	for i := range cells {
		b = w.appendCell(b, i+1, &cells[i])
	}
	w.line = append(b, "</row>"...)
	return w.flush()
}

func (w *Writer) appendCell(b []byte, column int, c *Put) []byte {
	if c.Text == "" && c.Number == "" && c.True == nil {
		return b
	}
	b = append(b, `<c r="`...)
	b = appendAddress(b, column, w.row)
	if style := w.styleNumber(c.Style); style > 0 {
		b = append(b, `" s="`...)
		b = strconv.AppendInt(b, int64(style), 10)
	}
	switch {
	case c.True != nil:
		b = append(b, `" t="b"><v>`...)
		b = append(b, "01"[either(*c.True)])
		return append(b, "</v></c>"...)
	case c.Number != "":
		b = append(b, `"><v>`...)
		b = append(b, c.Number...)
		return append(b, "</v></c>"...)
	}
	b = append(b, `" t="inlineStr"><is><t`...)
	if blank(c.Text[0]) || blank(c.Text[len(c.Text)-1]) {
		b = append(b, ` xml:space="preserve"`...) // other programs drop these blanks
	}
	b = append(b, '>')
	b = appendText(b, c.Text)
	return append(b, "</t></is></c>"...)
}

func either(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (w *Writer) styleNumber(s Style) int {
	n, known := w.number[s]
	if !known {
		n = len(w.styles)
		w.number[s] = n
		w.styles = append(w.styles, s)
	}
	return n
}

// appendAddress appends the address of a cell, such as AB12.
func appendAddress(b []byte, column, row int) []byte {
	var letters [3]byte
	at := len(letters)
	for ; column > 0; column = (column - 1) / 26 {
		at--
		letters[at] = byte('A' + (column-1)%26)
	}
	return strconv.AppendInt(append(b, letters[at:]...), int64(row), 10)
}

func (w *Writer) endSheet() error {
	if w.sheet == nil {
		return nil
	}
	b := append(w.line[:0], "</sheetData>"...)
	if last := len(w.filter) - 1; w.filter[last] != "" && w.columns > 0 {
		w.filter[last] = "A1:" + string(appendAddress(nil, w.columns, w.row))
		b = append(b, `<autoFilter ref="`+w.filter[last]+`"/>`...)
	}
	w.line = append(b, "</worksheet>"...)
	err := w.flush()
	w.sheet = nil
	return err
}

// Finish writes the workbook, which has the sheets that were begun.
func (w *Writer) Finish(to io.Writer) error {
	if err := w.endSheet(); err != nil {
		return err
	}
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", w.contentTypes()},
		{"_rels/.rels", packageRelations},
		{"docProps/app.xml", xmlHead + `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>` + xmlText(w.props.Creator) + `</Application></Properties>`},
		{"docProps/core.xml", w.core()},
		{"xl/workbook.xml", w.workbook()},
		{"xl/_rels/workbook.xml.rels", w.relations()},
		{"xl/styles.xml", w.styleSheet()},
	} {
		out, err := w.parts.create(part.name)
		if err == nil {
			_, err = io.WriteString(out, part.text)
		}
		if err != nil {
			return err
		}
	}
	return w.parts.copyTo(to)
}

// Close removes the temporary file.
func (w *Writer) Close() error { return w.parts.remove() }

// Write writes one workbook by fill.
func Write(to io.Writer, props Properties, fill func(*Writer) error) error {
	w, err := NewWriter(props)
	if err != nil {
		return err
	}
	if err = fill(w); err == nil {
		err = w.Finish(to)
	}
	return errors.Join(err, w.Close())
}

func xmlText(text string) string {
	return strings.ReplaceAll(string(appendText(nil, text)), `"`, "&quot;")
}
