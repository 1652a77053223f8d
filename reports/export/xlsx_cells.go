package export

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf16"

	"rebatedesk/affiliate"
	"rebatedesk/workbook"
)

// Limits of a worksheet's cell.
const (
	maxCellUnits = workbook.MaxUnits    // of a text
	exactDigits  = workbook.ExactDigits // of a number; further ones are shown as zeros
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
	row      []workbook.Put // reused for each row
	clock    clock
	yes      [2]bool // false and true, to point at
	asText   int64   // decimals that do not fit a number cell
	cut      int64   // texts that do not fit a cell
}

func newXLSXCells(headings []heading) *xlsxCells {
	return &xlsxCells{headings: headings, row: make([]workbook.Put, len(headings)), yes: [2]bool{false, true}}
}

// header returns the row of the titles of the columns.
func (x *xlsxCells) header() []workbook.Put {
	row := make([]workbook.Put, len(x.headings))
	for i, h := range x.headings {
		row[i] = workbook.Put{Style: headerStyle, Text: cmp.Or(h.title, h.name)}
	}
	return row
}

// widths are the widths that values of each kind need, in characters.
var widths = map[cellKind]int{
	textCell: 14, uidCell: 22, integerCell: 15, decimalCell: 20, timeCell: 24, dayCell: 12, boolCell: 8,
}

// width leaves room for the filter button next to the name.
func (h heading) width() int { return max(widths[h.kind], len(cmp.Or(h.title, h.name))+4) }

// values returns the cells of a row, valid until the next one.
func (x *xlsxCells) values(cells []cell) []workbook.Put {
	for i := range cells {
		if cells[i].unknown() {
			x.row[i] = workbook.Put{}
			continue
		}
		if label := x.headings[i].label; label != nil {
			x.row[i] = x.text(label(cells[i].text))
			continue
		}
		x.row[i] = x.cell(cells[i], x.headings[i].kind)
	}
	return x.row
}

func (x *xlsxCells) cell(c cell, kind cellKind) workbook.Put {
	switch kind {
	case integerCell:
		return workbook.Put{Style: integerStyle, Number: strconv.FormatInt(c.n, 10)}
	case boolCell:
		return workbook.Put{True: &x.yes[c.n&1]}
	case dayCell:
		return x.date(c, kind, dayStyle, float64(c.n+sheetEpoch))
	case timeCell:
		return x.date(c, kind, timeStyle, float64(c.n)/millisADay+sheetEpoch)
	case decimalCell:
		return x.decimal(affiliate.Number(c.text))
	}
	return x.text(c.text)
}

// date returns a date cell, or text for dates that a worksheet does not support.
func (x *xlsxCells) date(c cell, kind cellKind, style workbook.Style, serial float64) workbook.Put {
	if serial < firstSheet || serial >= endOfSheet {
		return x.text(string(c.append(nil, kind, &x.clock)))
	}
	return workbook.Put{Style: style, Number: strconv.FormatFloat(serial, 'f', -1, 64)}
}

// decimal returns a number cell whose format shows as many digits as were received, or
// text. A spreadsheet holds 15 significant digits exactly.
func (x *xlsxCells) decimal(n affiliate.Number) workbook.Put {
	_, fraction, _ := strings.Cut(string(n), ".")
	if significant(n) > exactDigits || len(fraction) >= len(decimalStyles) {
		x.asText++
		return x.text(string(n))
	}
	return workbook.Put{Style: decimalStyles[len(fraction)], Number: string(n.Canonical())}
}

// significant counts the digits from the first to the last non-zero digit.
func significant(n affiliate.Number) int {
	digits := strings.Replace(strings.TrimPrefix(string(n), "-"), ".", "", 1)
	return len(strings.Trim(digits, "0"))
}

// text returns a text cell. Text that is too long ends in an ellipsis.
func (x *xlsxCells) text(s string) workbook.Put {
	if short, cut := shortCell(s); cut {
		x.cut++
		s = short
	}
	return workbook.Put{Style: textStyle, Text: s}
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
