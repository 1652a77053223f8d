package reporttest

import (
	"archive/zip"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// book is an exported workbook as a spreadsheet opens it.
type book struct {
	rapid.TB
	*excelize.File
}

func Workbook(t rapid.TB, text string) book {
	t.Helper()
	file, err := excelize.OpenReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return book{t, file}
}

// SheetXML returns a sheet as the raw values of its cells.
func (b book) SheetXML(name string) [][]string {
	b.Helper()
	rows, err := b.GetRows(name, excelize.Options{RawCellValue: true})
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// Records returns the rows of all sheets but the last, in the words of CSV.
func (b book) Records() []map[string]string {
	b.Helper()
	var list []map[string]string
	sheets := b.GetSheetList()
	for _, sheet := range sheets[:len(sheets)-1] {
		rows := b.SheetXML(sheet)
		for _, cells := range rows[1:] {
			row := map[string]string{}
			for i, name := range rows[0] {
				if i < len(cells) {
					row[name] = b.word(name, cells[i])
				} else {
					row[name] = "" // the workbook omits empty cells at the end of a row
				}
			}
			list = append(list, row)
		}
	}
	return list
}

// word returns a cell in the words of CSV.
func (b book) word(column, value string) string {
	b.Helper()
	timed, dated := strings.HasSuffix(column, "_utc"), column == "date"
	switch {
	case value == "":
	case column == "kyc":
		return map[string]string{"1": "true", "0": "false"}[value]
	case timed || dated:
		days, err := strconv.ParseFloat(value, 64)
		if err != nil {
			b.Fatalf("%s is no date: %q", column, value)
		}
		at := time.UnixMilli(int64((days-25569)*86_400_000 + 0.5)).UTC()
		if dated {
			return at.Format(time.DateOnly)
		}
		return at.Format("2006-01-02T15:04:05.000Z")
	}
	return value
}

// Facts returns the lines of the sheet of totals, by their first cell.
func (b book) Facts() map[string][]string {
	b.Helper()
	facts := map[string][]string{}
	for _, row := range b.SheetXML("Totals") {
		if len(row) > 0 {
			facts[row[0]] = row[1:]
		}
	}
	return facts
}

func (b book) CellType(sheet, cell string) excelize.CellType {
	b.Helper()
	kind, err := b.GetCellType(sheet, cell)
	if err != nil {
		b.Fatal(err)
	}
	return kind
}

// Parts returns the files inside a workbook.
func (b book) Parts(text string) map[string]string {
	b.Helper()
	archive, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		b.Fatal(err)
	}
	parts := map[string]string{}
	for _, file := range archive.File {
		content, err := fs.ReadFile(archive, file.Name)
		if err != nil {
			b.Fatal(err)
		}
		parts[file.Name] = string(content)
	}
	return parts
}
