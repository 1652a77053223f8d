package people

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"
)

// WriteCSV writes people as a people file that [ParseFile] reads as the same people. What a
// spreadsheet would run as a formula is guarded by an apostrophe.
func WriteCSV(w io.Writer, people []Person) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(PeopleColumns()); err != nil {
		return err
	}
	for i := range people {
		row := cells(&people[i])
		for n := range row {
			row[n] = guarded(row[n])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteWorkbook writes people as an XLSX file that [ParseFile] reads as the same people. Every
// cell is text, so that a spreadsheet keeps all digits of a UID and runs no formula.
func WriteWorkbook(w io.Writer, people []Person) error {
	const sheet = "people"
	book := excelize.NewFile()
	defer book.Close() // it was only written to memory
	if err := book.SetSheetName(book.GetSheetName(0), sheet); err != nil {
		return err
	}
	stream, err := book.NewStreamWriter(sheet)
	if err != nil {
		return err
	}
	write := func(n int, row []string) error {
		values := make([]any, len(row))
		for i, text := range row {
			if values[i] = any(text); text == "" {
				values[i] = nil
			}
		}
		at, err := excelize.CoordinatesToCellName(1, n)
		if err != nil {
			return err
		}
		return stream.SetRow(at, values)
	}
	if err := write(1, PeopleColumns()); err != nil {
		return err
	}
	for i := range people {
		if err := write(i+2, cells(&people[i])); err != nil {
			return err
		}
	}
	if err := stream.Flush(); err != nil {
		return err
	}
	return book.Write(w)
}

// cells returns the row of a person. A single tag with a comma ends with the separator, so that
// it is not read as two.
func cells(p *Person) []string {
	row := []string{string(p.UID)}
	for _, f := range PersonFields() {
		text := p.Value(f)
		if f == FieldTags && strings.Contains(text, ",") && !strings.Contains(text, TagSeparator) {
			text += TagSeparator
		}
		row = append(row, text)
	}
	return row
}

// formulaStart reports whether a spreadsheet could take a text for a formula.
func formulaStart(text string) bool {
	for _, r := range text {
		return strings.ContainsRune("=+-@＝＋－＠", r)
	}
	return false
}

// guarded puts an apostrophe before a formula, and before what [unguarded] would otherwise take
// for a guarded one.
func guarded(text string) string {
	if formulaStart(strings.TrimLeft(text, "'")) {
		return "'" + text
	}
	return text
}

// unguarded is the inverse of guarded. An apostrophe before anything but a formula is part of
// the text.
func unguarded(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && formulaStart(strings.TrimLeft(rest, "'")) {
		return rest
	}
	return text
}
