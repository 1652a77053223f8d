package export

import (
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
)

// xlsxStyles holds the styles of a workbook, by their numbers in it.
type xlsxStyles struct {
	header   int
	text     int // stays text, also when a user edits the cell
	integer  int
	day      int
	time     int
	decimals [19]int // by the digits after the point
}

func newXLSXStyles(file *excelize.File) (xlsxStyles, error) {
	var s xlsxStyles
	var err error
	add := func(to *int, style excelize.Style) {
		if err == nil {
			*to, err = file.NewStyle(&style)
		}
	}
	formatted := func(to *int, format string) { add(to, excelize.Style{CustomNumFmt: &format}) }
	add(&s.header, excelize.Style{Font: &excelize.Font{Bold: true},
		Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E8ECF1"}}})
	formatted(&s.text, "@")
	formatted(&s.integer, "0")
	formatted(&s.day, "yyyy-mm-dd")
	formatted(&s.time, "yyyy-mm-dd hh:mm:ss.000")
	for digits := range s.decimals {
		format := "0"
		if digits > 0 {
			format += "." + strings.Repeat("0", digits)
		}
		formatted(&s.decimals[digits], format)
	}
	if err != nil {
		return s, fmt.Errorf("styles of a workbook: %w", err)
	}
	return s, nil
}
