package workbook

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// CellKind is what a cell that was read holds.
type CellKind int

// The kinds of cells.
const (
	EmptyCell        CellKind = iota
	StringCell                // as it was typed
	DecimalCell               // a plain decimal of at most 15 digits, without zeros at its end
	RoundedCell               // a number of more digits than a spreadsheet keeps, as the file writes it
	DateCell                  // YYYY-MM-DD, with T and the time of day if there is one
	BooleanCell               // TRUE or FALSE
	ErrorCell                 // an error of a formula, such as #N/A
	UncalculatedCell          // a formula whose result the file lacks
)

// Cell is a cell that was read.
type Cell struct {
	Kind CellKind
	Text string // in the form that the kind says
}

// ExactDigits is how many digits of a number a spreadsheet keeps.
const ExactDigits = 15

var numberForm = regexp.MustCompile(`^[+-]?[0-9]*\.?[0-9]*([eE][+-]?[0-9]{1,5})?$`)

// numberCell reads the number of a cell. A workbook holds the nearest binary number, which
// programs write with 15 to 17 digits: 1.1 is also written 1.1000000000000001. Of all decimals
// with at most 15 digits, at most one has the same binary number; that one was meant. Without
// one, digits were lost before the file was written.
func numberCell(raw string) Cell {
	if len(raw) > 0 && len(raw) <= ExactDigits && raw[0] != '0' && strings.Trim(raw, "0123456789") == "" {
		return Cell{DecimalCell, raw} // as most numbers are
	}
	value, err := strconv.ParseFloat(raw, 64)
	if err != nil || !numberForm.MatchString(raw) {
		return Cell{RoundedCell, raw}
	}
	if mantissa, _, _ := strings.Cut(strings.ToLower(raw), "e"); value == 0 && strings.ContainsAny(mantissa, "123456789") {
		return Cell{RoundedCell, raw} // too small for a spreadsheet
	}
	short := strconv.FormatFloat(value, 'e', ExactDigits-1, 64)
	again, err := strconv.ParseFloat(short, 64)
	plain := plainDecimal(short)
	whole, _, _ := strings.Cut(strings.TrimPrefix(plain, "-"), ".")
	if err != nil || again != value || len(whole) > ExactDigits {
		return Cell{RoundedCell, raw}
	}
	return Cell{DecimalCell, plain}
}

// plainDecimal writes out a number of the form d.ddde±dd, without zeros at its end.
func plainDecimal(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	digits := strings.Replace(mantissa, ".", "", 1)
	power, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err) // strconv writes no other form
	}
	point := power + 1 // where the decimal point is among the digits
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if len(digits) < point {
		digits += strings.Repeat("0", point-len(digits))
	}
	plain := digits[:point]
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		plain += "." + fraction
	}
	if negative && strings.Trim(plain, "0.") != "" {
		plain = "-" + plain
	}
	return plain
}

// A worksheet counts days from 1900 or from 1904. That of 1900 has one day too many in February of
// that year.
const (
	millisADay  = 86_400_000
	firstTrue   = 61 // 1 March 1900
	endOfDays   = 2_958_466
	shiftOf1904 = 1462
)

var epochOf1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// dateCell reads the number of a cell whose format shows a date or a time.
func dateCell(raw string, from1904 bool) Cell {
	serial, err := strconv.ParseFloat(raw, 64)
	if err == nil && from1904 {
		serial += shiftOf1904
	}
	if err != nil || math.IsNaN(serial) || serial < 0 || serial >= endOfDays {
		return Cell{DateCell, raw}
	}
	if serial < firstTrue {
		serial++
	}
	return Cell{DateCell, dateText(epochOf1900.Add(time.Duration(math.Round(serial*millisADay)) * time.Millisecond))}
}

func dateText(at time.Time) string {
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05.999")
}

// isoCell reads a cell whose date is written out.
func isoCell(raw string) Cell {
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04:05.999999999", time.RFC3339Nano} {
		if at, err := time.Parse(form, raw); err == nil {
			return Cell{DateCell, dateText(at.UTC())}
		}
	}
	return Cell{DateCell, raw}
}

// showsDate reports whether a number format shows a date or a time of day.
func showsDate(format string) bool {
	runes := []rune(format)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '"':
			for i++; i < len(runes) && runes[i] != '"'; i++ {
			}
		case '\\', '_', '*':
			i++ // the next character stands for itself
		case '[':
			if i+1 < len(runes) && strings.ContainsRune("hHmMsS", runes[i+1]) && elapsed(runes[i+1:]) {
				return true
			}
			for ; i < len(runes) && runes[i] != ']'; i++ {
			}
		default:
			if strings.ContainsRune("yYmMdDhHsS", r) {
				return true
			}
		}
	}
	return false
}

// elapsed reports whether a bracket of a number format holds one repeated letter, as in [hh]: other
// words are colours and places.
func elapsed(rest []rune) bool {
	for _, r := range rest {
		if r == ']' {
			return true
		}
		if !strings.EqualFold(string(r), string(rest[0])) {
			return false
		}
	}
	return false
}

// builtInDate reports whether a number format that every spreadsheet has shows a date or a time.
func builtInDate(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58 || id >= 71 && id <= 81
}
