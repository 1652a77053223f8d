package export

import (
	"strings"

	"rebatedesk/workbook"
)

// The looks of cells.
var (
	headerStyle  = workbook.Style{Header: true}
	textStyle    = workbook.Style{Format: "@"} // stays text, also when a user edits the cell
	integerStyle = workbook.Style{Format: "0"}
	dayStyle     = workbook.Style{Format: "yyyy-mm-dd"}
	timeStyle    = workbook.Style{Format: "yyyy-mm-dd hh:mm:ss.000"}
)

// decimalStyles are the looks of decimals, by the digits after the point.
var decimalStyles = func() (styles [19]workbook.Style) {
	for digits := range styles {
		styles[digits].Format = "0"
		if digits > 0 {
			styles[digits].Format += "." + strings.Repeat("0", digits)
		}
	}
	return styles
}()
