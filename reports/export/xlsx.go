package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/xuri/excelize/v2"
)

// maxSheetRows is the capacity of a worksheet, including its header row.
const maxSheetRows = 1_048_576

// rowsAGarbage is the number of rows after which their garbage is collected. The library's
// buffer grows to 32 MiB, and by default the collector lets as much garbage accumulate
// before it begins.
const rowsAGarbage = 4096

// xlsxEncoder writes a workbook: the rows on as many sheets as they need, then a sheet with
// their exact totals. If a sheet exceeds 16 MiB, its rows wait in a separate folder below
// TMPDIR, because the parts of a workbook are packed one after another. Packed data goes
// straight to the writer.
type xlsxEncoder struct {
	out   *bufio.Writer
	facts Metadata
	file  *excelize.File
	dir   string // where rows wait on disk
	cells *xlsxCells

	perSheet int // capacity of a sheet in rows, including the header
	sheets   int
	sheet    *excelize.StreamWriter
	rows     int // of the sheet, including the header
}

func newXLSXEncoder(w *bufio.Writer, headings []heading, facts Metadata) (*xlsxEncoder, error) {
	dir, err := os.MkdirTemp("", "rebatedesk-xlsx-")
	if err != nil {
		return nil, fmt.Errorf("making room for a workbook: %w", err)
	}
	e := &xlsxEncoder{out: w, facts: facts, dir: dir, perSheet: maxSheetRows,
		file: excelize.NewFile(excelize.Options{TmpDir: dir})}
	styles, err := newXLSXStyles(e.file)
	e.cells = newXLSXCells(headings, styles)
	if err == nil {
		err = e.file.SetDocProps(&excelize.DocProperties{Creator: "Rebatedesk", Title: string(facts.Kind), Created: facts.Written, Modified: facts.Written})
	}
	if err == nil {
		err = e.beginSheet()
	}
	if err != nil {
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
	sheet, err := e.addSheet(e.sheetName())
	if err != nil {
		return err
	}
	e.sheet = sheet
	for i, h := range e.cells.headings {
		if err := sheet.SetColWidth(i+1, i+1, float64(h.width())); err != nil {
			return err
		}
	}
	err = sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
	if err != nil {
		return err
	}
	return sheet.SetRow("A1", e.cells.header())
}

// addSheet adds a sheet; a new workbook has one already.
func (e *xlsxEncoder) addSheet(name string) (*excelize.StreamWriter, error) {
	var err error
	if first := e.file.GetSheetName(0); e.sheet == nil {
		err = e.file.SetSheetName(first, name)
	} else {
		_, err = e.file.NewSheet(name)
	}
	if err != nil {
		return nil, err
	}
	return e.file.NewStreamWriter(name)
}

func (e *xlsxEncoder) endSheet() error {
	last, err := excelize.CoordinatesToCellName(len(e.cells.headings), e.rows)
	if err != nil {
		return err
	}
	if err := e.file.AutoFilter(e.sheetName(), "A1:"+last, nil); err != nil {
		return err
	}
	return e.sheet.Flush()
}

func (e *xlsxEncoder) row(cells []cell) error {
	if e.rows == e.perSheet {
		if err := errors.Join(e.endSheet(), e.beginSheet()); err != nil {
			return err
		}
	}
	e.rows++
	if e.rows%rowsAGarbage == 0 {
		runtime.GC()
	}
	at, err := excelize.CoordinatesToCellName(1, e.rows)
	if err != nil {
		return err
	}
	return e.sheet.SetRow(at, e.cells.values(cells))
}

// end packs the workbook. The library would pack it into memory, so it gets our writer
// instead of its own.
func (e *xlsxEncoder) end(summary RowTally) (err error) {
	if err := e.endSheet(); err != nil {
		return err
	}
	if err := e.annotations(); err != nil {
		return err
	}
	if err := e.totals(summary); err != nil {
		return err
	}
	parts := &xlsxParts{out: e.out, dir: e.dir}
	defer func() { err = errors.Join(err, parts.release()) }()
	e.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return parts })
	return e.file.Write(io.Discard)
}

// close removes temporary files.
func (e *xlsxEncoder) close() error {
	return errors.Join(e.file.Close(), os.RemoveAll(e.dir))
}
