package export

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"rebatedesk/workbook"
)

// xlsxEncoder writes a workbook: the rows on as many sheets as they need, then a sheet with
// their exact totals.
type xlsxEncoder struct {
	out   *bufio.Writer
	facts Metadata
	file  *workbook.Writer
	cells *xlsxCells

	perSheet int // capacity of a sheet in rows, including the header
	sheets   int
	rows     int // of the sheet, including the header
}

func newXLSXEncoder(w *bufio.Writer, headings []heading, facts Metadata) (*xlsxEncoder, error) {
	written, _ := time.Parse(time.RFC3339, facts.Written) // one that is not said is not written
	file, err := workbook.NewWriter(workbook.Properties{Creator: "Rebatedesk", Title: facts.Kind, Written: written})
	if err != nil {
		return nil, err
	}
	e := &xlsxEncoder{out: w, facts: facts, file: file, perSheet: workbook.MaxRows, cells: newXLSXCells(headings)}
	if err := e.beginSheet(); err != nil {
		return nil, errors.Join(fmt.Errorf("beginning a workbook: %w", err), e.close())
	}
	return e, nil
}

// sheetName returns the name of a sheet of rows: the kind, and a number from the second
// sheet on.
func (e *xlsxEncoder) sheetName() string {
	if e.sheets == 1 {
		return string(e.facts.Kind)
	}
	return fmt.Sprintf("%s (%d)", e.facts.Kind, e.sheets)
}

func (e *xlsxEncoder) beginSheet() error {
	e.sheets++
	e.rows = 1
	widths := make([]int, len(e.cells.headings))
	for i, h := range e.cells.headings {
		widths[i] = h.width()
	}
	if err := e.file.Begin(workbook.Sheet{Name: e.sheetName(), Widths: widths, Frozen: true}); err != nil {
		return err
	}
	return e.file.Row(e.cells.header())
}

func (e *xlsxEncoder) row(cells []cell) error {
	if e.rows == e.perSheet {
		if err := e.beginSheet(); err != nil {
			return err
		}
	}
	e.rows++
	return e.file.Row(e.cells.values(cells))
}

func (e *xlsxEncoder) end(summary RowTally) error {
	if err := e.annotations(); err != nil {
		return err
	}
	if err := e.totals(summary); err != nil {
		return err
	}
	return e.file.Finish(e.out)
}

// words writes lines of words. The cells of a line that heads others are headers.
func (e *xlsxEncoder) words(lines [][]string, header func(line, cell int) bool) error {
	for i, line := range lines {
		row := make([]workbook.Put, len(line))
		for j, words := range line {
			row[j] = e.cells.text(words)
			if header(i, j) {
				row[j].Style = headerStyle
			}
		}
		if err := e.file.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// close removes the temporary file.
func (e *xlsxEncoder) close() error { return e.file.Close() }
