package tabular

import (
	"encoding/csv"
	"io"
	"iter"
)

// WriteText writes a table as text that [Read] reads as the same: with commas, lines that end with
// CRLF, and a guard before what a spreadsheet would run as a formula. It changes the rows.
func WriteText(w io.Writer, columns []string, rows iter.Seq[[]string]) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(columns); err != nil {
		return err
	}
	for row := range rows {
		for i := range row {
			row[i] = guarded(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
