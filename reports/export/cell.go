package export

import (
	"strconv"

	"rebatedesk/affiliate"
)

// cellKind is the kind of a column's values; each format writes the kinds in its own way.
type cellKind string

// Kinds of cells, by their names in the JSON format.
const (
	textCell    cellKind = "text"    // foreign text; guarded in formats that a spreadsheet reads
	uidCell     cellKind = "uid"     // an id: digits that are not a number
	integerCell cellKind = "integer" // a whole number of at most 15 digits
	decimalCell cellKind = "decimal" // an exact decimal; a string in JSON, where numbers are floats
	timeCell    cellKind = "time"    // an instant, UTC
	dayCell     cellKind = "day"     // a calendar day
	boolCell    cellKind = "boolean"
)

// cell is one value of a row, in the form that its kind has. The zero cell is
// an unknown value: empty in CSV and XLSX, null in JSON, and never 0.
type cell struct {
	text  string // for text, ids and decimals, which are known if it is not empty
	n     int64  // for all other kinds: the number, milliseconds, days since 1970, or 1 for true
	known bool   // n is a value
}

// unknown reports whether the cell has no value.
func (c cell) unknown() bool { return c.text == "" && !c.known }

// append writes the value as in CSV and JSON, without any quotes.
func (c cell) append(b []byte, kind cellKind, clock *clock) []byte {
	if !c.known {
		return append(b, c.text...)
	}
	switch kind {
	case timeCell:
		return clock.append(b, affiliate.Millis(c.n))
	case dayCell:
		return append(b, affiliate.Day(c.n).String()...)
	case boolCell:
		return append(b, affiliate.FlagOf(c.n == 1)...)
	}
	return strconv.AppendInt(b, c.n, 10)
}
