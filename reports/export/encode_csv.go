package export

import (
	"bufio"
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvEncoder writes RFC 4180. The writer of encoding/csv, if set to end lines with CRLF,
// would also change the line ends within cells, and it scans each cell several times.
type csvEncoder struct {
	out      *bufio.Writer
	headings []heading
	clocks   []clock // of each column: times of different columns are of different days
	line     []byte
}

func newCSVEncoder(w *bufio.Writer, headings []heading) (*csvEncoder, error) {
	e := &csvEncoder{out: w, headings: headings, clocks: make([]clock, len(headings))}
	for i, h := range headings {
		if i > 0 {
			e.line = append(e.line, ',')
		}
		e.line = appendCSVText(e.line, h.name) // a pivot table has foreign names
	}
	return e, e.write()
}

func (e *csvEncoder) row(cells []cell) error {
	b := e.line[:0]
	for i := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		switch kind := e.headings[i].kind; kind {
		case textCell, uidCell:
			b = appendCSVText(b, cells[i].text)
		default:
			b = cells[i].append(b, kind, &e.clocks[i])
		}
	}
	e.line = b
	return e.write()
}

func (e *csvEncoder) write() error {
	e.line = append(e.line, "\r\n"...)
	_, err := e.out.Write(e.line)
	return err
}

func (*csvEncoder) end(RowTally) error { return nil }
func (*csvEncoder) close() error       { return nil }

// appendCSVText writes text, guarded and quoted where needed. Most text needs neither,
// which one scan of its bytes shows.
func appendCSVText(b []byte, s string) []byte {
	for i := range len(s) {
		if !harmlessByte[s[i]] {
			return appendOddText(b, s)
		}
	}
	return append(b, s...)
}

// harmlessByte marks the bytes without a meaning in CSV or a spreadsheet.
var harmlessByte = func() (table [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		table[c] = !strings.ContainsRune(`=+-@",;|`, c)
	}
	return table
}()

func appendOddText(b []byte, s string) []byte {
	s = guardFormula(strings.ToValidUTF8(s, "\ufffd"))
	if strings.ContainsAny(s, "\",\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return append(b, s...)
}

// guardFormula makes text that a spreadsheet would run as a formula plain text again. It
// guards the beginning, after blanks and invisible characters, and positions after
// characters that some programs take for a cell border. Numbers never reach it: a negative
// one begins like a formula.
func guardFormula(s string) string {
	if !strings.ContainsAny(s, "=+-@＝＋－＠\t\r\n") {
		return s
	}
	var b strings.Builder
	rest := strings.TrimLeftFunc(s, unseen)
	if blanks := s[:len(s)-len(rest)]; strings.ContainsAny(blanks, "\t\r\n") || beginsFormula(rest) {
		b.WriteByte('\'')
		b.WriteString(blanks)
	} else {
		rest = s
	}
	for i, r := range rest {
		b.WriteRune(r)
		if strings.ContainsRune(";|\t\r\n", r) && beginsFormula(strings.TrimLeftFunc(rest[i+1:], unseen)) {
			b.WriteByte('\'')
		}
	}
	return b.String()
}

func beginsFormula(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@＝＋－＠", r)
}

// unseen reports whether a character is skipped before a formula.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
