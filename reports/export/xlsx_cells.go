package export

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"rebatedesk/affiliate"
)

// Limits of a worksheet's cell.
const (
	maxCellUnits = 32_767 // UTF-16 units of a text
	exactDigits  = 15     // significant digits of a number; further ones are shown as zeros
)

// A worksheet counts days from 1900, with one day too many in February of that year:
// programs interpret dates before March 1900 differently.
const (
	sheetEpoch = 25_569    // 1970-01-01
	firstSheet = 61        // 1900-03-01
	endOfSheet = 2_958_466 // the day after 9999-12-31
)

// xlsxCells makes typed cells. Text and ids are text, times are dates in UTC, and a decimal
// is a number if a number cell holds all of its digits, otherwise text. Text is never a
// formula.
type xlsxCells struct {
	headings []heading
	styles   xlsxStyles
	row      []any           // nil, or the address of the cell at the same index
	cells    []excelize.Cell // reused for each row
	clock    clock
	asText   int64 // decimals that do not fit a number cell
	cut      int64 // texts that do not fit a cell
}

func newXLSXCells(headings []heading, styles xlsxStyles) *xlsxCells {
	return &xlsxCells{headings: headings, styles: styles,
		row: make([]any, len(headings)), cells: make([]excelize.Cell, len(headings))}
}

// header returns the row of column names.
func (x *xlsxCells) header() []any {
	row := make([]any, len(x.headings))
	for i, h := range x.headings {
		row[i] = excelize.Cell{StyleID: x.styles.header, Value: h.name}
	}
	return row
}

// widths are the widths that values of each kind need, in characters.
var widths = map[cellKind]int{
	textCell: 14, uidCell: 22, integerCell: 15, decimalCell: 20, timeCell: 24, dayCell: 12, boolCell: 8,
}

// width leaves room for the filter button next to the name.
func (h heading) width() int { return max(widths[h.kind], len(h.name)+4) }

// values returns the cells of a row, valid until the next one.
func (x *xlsxCells) values(cells []cell) []any {
	for i := range cells {
		if cells[i].unknown() {
			x.row[i] = nil
			continue
		}
		x.cells[i] = x.cell(cells[i], x.headings[i].kind)
		x.row[i] = &x.cells[i]
	}
	return x.row
}

func (x *xlsxCells) cell(c cell, kind cellKind) excelize.Cell {
	switch kind {
	case integerCell:
		return excelize.Cell{StyleID: x.styles.integer, Value: c.n}
	case boolCell:
		return excelize.Cell{Value: c.n == 1}
	case dayCell:
		return x.date(c, kind, x.styles.day, float64(c.n+sheetEpoch))
	case timeCell:
		return x.date(c, kind, x.styles.time, float64(c.n)/millisADay+sheetEpoch)
	case decimalCell:
		return x.decimal(affiliate.Number(c.text))
	}
	return x.text(c.text)
}

// date returns a date cell, or text for dates that a worksheet does not support.
func (x *xlsxCells) date(c cell, kind cellKind, style int, serial float64) excelize.Cell {
	if serial < firstSheet || serial >= endOfSheet {
		return x.text(string(c.append(nil, kind, &x.clock)))
	}
	return excelize.Cell{StyleID: style, Value: serial}
}

// decimal returns a number cell whose format shows as many digits as were received, or
// text. A float of 15 significant digits represents them all.
func (x *xlsxCells) decimal(n affiliate.Number) excelize.Cell {
	_, fraction, _ := strings.Cut(string(n), ".")
	if significant(n) > exactDigits || len(fraction) >= len(x.styles.decimals) {
		x.asText++
		return x.text(string(n))
	}
	value, err := strconv.ParseFloat(string(n.Canonical()), 64)
	if err != nil {
		return x.text(string(n)) // the store holds plain decimals only
	}
	return excelize.Cell{StyleID: x.styles.decimals[len(fraction)], Value: value}
}

// significant counts the digits from the first to the last non-zero digit.
func significant(n affiliate.Number) int {
	digits := strings.Replace(strings.TrimPrefix(string(n), "-"), ".", "", 1)
	return len(strings.Trim(digits, "0"))
}

// text returns a text cell. Text that is too long ends in an ellipsis; characters that XML
// cannot hold become U+FFFD.
func (x *xlsxCells) text(s string) excelize.Cell {
	if short, cut := shortCell(s); cut {
		x.cut++
		s = short
	}
	return excelize.Cell{StyleID: x.styles.text, Value: s}
}

// shortCell cuts text that exceeds a cell, and reports whether it did.
func shortCell(s string) (string, bool) {
	if len(s) <= maxCellUnits {
		return s, false
	}
	units, end := 0, 0 // end: where the text is cut if necessary
	for i, r := range s {
		if units < maxCellUnits {
			end = i
		}
		if units += utf16.RuneLen(r); units > maxCellUnits {
			return s[:end] + "…", true
		}
	}
	return s, false
}
