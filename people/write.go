package people

import (
	"io"
	"strings"

	"rebatedesk/tabular"
	"rebatedesk/workbook"
)

// WriteCSV writes people as a people file that [ParseFile] reads as the same people. What a
// spreadsheet would run as a formula is guarded by an apostrophe.
func WriteCSV(w io.Writer, people []Person) error {
	return tabular.WriteText(w, Columns(), func(yield func([]string) bool) {
		for i := range people {
			if !yield(cells(&people[i])) {
				return
			}
		}
	})
}

// WriteWorkbook writes people as an XLSX file that [ParseFile] reads as the same people. Every
// cell is text, so that a spreadsheet keeps all digits of a UID and runs no formula.
func WriteWorkbook(w io.Writer, people []Person) error {
	return workbook.Write(w, workbook.Properties{Creator: "Rebatedesk", Title: "people"}, func(book *workbook.Writer) error {
		if err := book.Begin(workbook.Sheet{Name: "people"}); err != nil {
			return err
		}
		row := make([]workbook.Put, len(Columns()))
		for i := -1; i < len(people); i++ {
			texts := Columns()
			if i >= 0 {
				texts = cells(&people[i])
			}
			for n, text := range texts {
				row[n] = workbook.Put{Style: workbook.Style{Format: "@"}, Text: text}
			}
			if err := book.Row(row); err != nil {
				return err
			}
		}
		return nil
	})
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
