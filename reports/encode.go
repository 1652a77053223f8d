package reports

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Format is the form of an export.
type Format string

// The formats.
const (
	CSV   Format = "csv"   // RFC 4180, header row, CRLF
	JSON  Format = "json"  // one array of objects
	JSONL Format = "jsonl" // one object a line
)

// ContentType is the format's media type.
func (f Format) ContentType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case JSONL:
		return "application/jsonl; charset=utf-8"
	}
	return "application/json; charset=utf-8"
}

// rowWriter writes the cells of a table.
type rowWriter interface {
	row(cells []string) error
	end() error
}

// writeTable writes rows as they come. add, where given, sums them up.
func writeTable[T any](w io.Writer, format Format, columns []column[T], rows iter.Seq2[T, error], add func(*totaller, *T)) (ExportSummary, error) {
	buffer := bufio.NewWriterSize(w, 64<<10)
	names, kinds := make([]string, len(columns)), make([]cellKind, len(columns))
	for i, c := range columns {
		names[i], kinds[i] = c.name, c.kind
	}
	out, err := newRowWriter(buffer, format, names, kinds)
	if err != nil {
		return ExportSummary{}, err
	}
	var summary ExportSummary
	var totals totaller
	cells := make([]string, len(columns))
	for row, err := range rows {
		if err != nil {
			return summary, err
		}
		for i, c := range columns {
			cells[i] = c.value(&row)
		}
		if err := out.row(cells); err != nil {
			return summary, fmt.Errorf("writing row %d: %w", summary.Rows+1, err)
		}
		summary.Rows++
		if add != nil {
			add(&totals, &row)
		}
	}
	if err := out.end(); err != nil {
		return summary, fmt.Errorf("writing the end: %w", err)
	}
	summary.Totals = totals.totals()
	return summary, buffer.Flush()
}

func newRowWriter(w *bufio.Writer, format Format, names []string, kinds []cellKind) (rowWriter, error) {
	switch format {
	case CSV:
		out := &csvWriter{out: w, kinds: kinds}
		return out, out.write(names)
	case JSON:
		_, err := w.WriteString("[")
		return &jsonWriter{out: w, names: names, kinds: kinds, between: ",\n", after: "]\n"}, err
	case JSONL:
		return &jsonWriter{out: w, names: names, kinds: kinds, between: "\n", after: "\n"}, nil
	}
	return nil, fmt.Errorf("no such format: %q", format)
}

// csvWriter writes cells as they are. The writer of encoding/csv, told to end
// lines with CRLF, would change the line ends within cells too.
type csvWriter struct {
	out   *bufio.Writer
	kinds []cellKind
	line  []byte
}

func (c *csvWriter) row(cells []string) error {
	for i, kind := range c.kinds {
		if kind == textCell {
			cells[i] = guardFormula(cells[i])
		}
	}
	return c.write(cells)
}

func (c *csvWriter) write(cells []string) error {
	b := c.line[:0]
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if strings.ContainsAny(cell, "\",\r\n") {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		b = append(b, cell...)
	}
	c.line = append(b, "\r\n"...)
	_, err := c.out.Write(c.line)
	return err
}

func (*csvWriter) end() error { return nil }

// guardFormula makes text that a spreadsheet would run as a formula into text
// again: at its beginning, blanks and invisible characters left aside, and
// after what some take for the border of a cell. Numbers never come here: a
// negative one begins like a formula.
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

// unseen reports whether a character is passed over before a formula.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// jsonWriter writes objects whose members stand in the order of the columns.
// Decimals are strings: a JSON number is a float to most who read it.
type jsonWriter struct {
	out            *bufio.Writer
	names          []string
	kinds          []cellKind
	between, after string
	rows           int
	line           []byte
}

func (j *jsonWriter) row(cells []string) error {
	b := j.line[:0]
	if j.rows > 0 {
		b = append(b, j.between...)
	}
	j.rows++
	for i, cell := range cells {
		b = append(b, "{,"[min(i, 1)])
		b = append(append(append(b, '"'), j.names[i]...), `":`...)
		switch {
		case cell == "":
			b = append(b, "null"...)
		case j.kinds[i] == integerCell || j.kinds[i] == boolCell:
			b = append(b, cell...)
		default:
			text, err := json.Marshal(cell)
			if err != nil {
				return err
			}
			b = append(b, text...)
		}
	}
	j.line = append(b, '}')
	_, err := j.out.Write(j.line)
	return err
}

func (j *jsonWriter) end() error {
	if j.after == "\n" && j.rows == 0 {
		return nil // no objects, no line
	}
	_, err := j.out.WriteString(j.after)
	return err
}
