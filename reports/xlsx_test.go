package reports_test

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/reports/commissions"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/store/storetest"
)

// book is an exported workbook as a spreadsheet opens it.
type book struct {
	rapid.TB
	*excelize.File
}

func workbook(t rapid.TB, text string) book {
	t.Helper()
	file, err := excelize.OpenReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return book{t, file}
}

// sheet returns a sheet as the raw values of its cells.
func (b book) sheet(name string) [][]string {
	b.Helper()
	rows, err := b.GetRows(name, excelize.Options{RawCellValue: true})
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// records returns the rows of all sheets but the last, in the words of CSV.
func (b book) records() []map[string]string {
	b.Helper()
	var list []map[string]string
	sheets := b.GetSheetList()
	for _, sheet := range sheets[:len(sheets)-1] {
		rows := b.sheet(sheet)
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

// facts returns the lines of the sheet of totals, by their first cell.
func (b book) facts() map[string][]string {
	b.Helper()
	facts := map[string][]string{}
	for _, row := range b.sheet("Totals") {
		if len(row) > 0 {
			facts[row[0]] = row[1:]
		}
	}
	return facts
}

func (b book) cellType(sheet, cell string) excelize.CellType {
	b.Helper()
	kind, err := b.GetCellType(sheet, cell)
	if err != nil {
		b.Fatal(err)
	}
	return kind
}

// Cells have the right types, and spreadsheets show them correctly.
func TestWorkbookCells(t *testing.T) {
	d := everyKind(t)
	text, _ := d.export(commissions.File, export.XLSX, d.ask("range=today"))
	b := workbook(t, text)
	if sheets := b.GetSheetList(); !slices.Equal(sheets, []string{"commissions", "Totals"}) {
		t.Errorf("the sheets are %v", sheets)
	}
	for cell, want := range map[string]struct {
		shown string
		kind  excelize.CellType
	}{
		"A2": {"2026-09-15 01:00:00.000", excelize.CellTypeUnset}, "B2": {"1789434000000", excelize.CellTypeUnset},
		"C2": {"main", excelize.CellTypeInlineString}, "D2": {"4667776801", excelize.CellTypeInlineString},
		"J2": {"98765432109876543210.000000000000000003", excelize.CellTypeInlineString}, // a number cell cannot hold it
		"K2": {"0.00", excelize.CellTypeUnset}, "L2": {"1", excelize.CellTypeUnset}, "M2": {"", excelize.CellTypeUnset},
		"N2": {"-0.0682571", excelize.CellTypeUnset},
	} {
		shown, err := b.GetCellValue("commissions", cell)
		if err != nil {
			t.Fatal(err)
		}
		if kind := b.cellType("commissions", cell); shown != want.shown && "-"+want.shown != shown || kind != want.kind {
			t.Errorf("%s shows %q of type %v, want %q of type %v", cell, shown, kind, want.shown, want.kind)
		}
	}
	header := strings.Join(b.sheet("commissions")[0], ",")
	if header != headers[commissions.File] {
		t.Errorf("the columns are %s", header)
	}
	panes, err := b.GetPanes("commissions")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the header is not frozen: %+v, %v", panes, err)
	}
	last, err := excelize.ColumnNumberToName(len(b.sheet("commissions")[0]))
	if err != nil {
		t.Fatal(err)
	}
	if parts := b.parts(text); !strings.Contains(parts["xl/worksheets/sheet1.xml"], `<autoFilter ref="$A$1:$`+last+`$2">`) && !strings.Contains(parts["xl/worksheets/sheet1.xml"], `<autoFilter ref="A1:`+last+`2"`) {
		t.Errorf("no filter: %.400s", parts["xl/worksheets/sheet1.xml"])
	}
	facts := b.facts()
	for name, want := range map[string]string{
		"Report": "commissions", "From": "2026-09-15", "To, included": "2026-09-15", "Time zone of days": "UTC", "Rows": "1",
		"Complete": "NO: 0 of 1 days are collected", "Written": "2026-09-15T12:00:00Z", "Amounts kept as text": "1 have more than 15 digits, which a number cell would round",
	} {
		if len(facts[name]) == 0 || facts[name][0] != want {
			t.Errorf("%s is %v, want %q", name, facts[name], want)
		}
	}
	if sums := facts["USDT"]; strings.Join(sums, " ") != "1 98765432109876543210.000000000000000003 0 1 -0.0682571"+laterSums(" ", "0") {
		t.Errorf("the sums are %v under %v", sums, facts["Coin"])
	}
}

// A number is a number cell exactly if this loses no digit.
func TestWorkbookDecimals(t *testing.T) {
	t.Parallel()
	d := newFixture(t, "UTC")
	rapid.Check(t, func(t *rapid.T) {
		var records []affiliate.Commission
		numbers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.Number { return drawNumber(t, "number") }), 1, 30).Draw(t, "numbers")
		for i, n := range numbers {
			c := trade(today, spot, 1, n)
			c.DealTime += affiliate.Millis(i)
			records = append(records, c)
		}
		d.read("main", spot, days(0, 0), records...)
		text, _ := d.export(commissions.File, export.XLSX, d.ask("range=today&sort=time"))
		b := workbook(t, text)
		for i, n := range numbers {
			cell := fmt.Sprint("N", i+2)
			value, err := b.GetCellValue("commissions", cell, excelize.Options{RawCellValue: true})
			if err != nil || rat(d, value).Cmp(rat(d, string(n))) != 0 {
				t.Fatalf("%s is read as %q, %v", n, value, err)
			}
			digits := len(strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(string(n)), "0"))
			if number := b.cellType("commissions", cell) == excelize.CellTypeUnset; number != (digits <= 15) {
				t.Fatalf("%s, of %d digits, is a number: %v", n, digits, number)
			}
			float, err := strconv.ParseFloat(value, 64)
			if digits <= 15 && n != "" && (err != nil || new(big.Rat).SetFloat64(float) == nil || strconv.FormatFloat(float, 'f', -1, 64) != string(n.Canonical())) {
				t.Fatalf("%s is not read back from a float: %v", n, float)
			}
		}
	})
}

// Text stays text: unchanged and never a formula.
func TestWorkbookText(t *testing.T) {
	d := newFixture(t, "UTC")
	texts := slices.Concat(formulas, harmless, []string{"_x0041_", "0x00", "1e5", "TRUE", "2026-09-15"})
	var records []affiliate.Commission
	for i, text := range texts {
		c := trade(today, spot, i, "-1.5")
		c.UID = "9223372036854775807"
		c.Symbol, c.DealTime = text, c.DealTime+affiliate.Millis(i)
		records = append(records, c)
	}
	d.read("main", spot, days(0, 0), records...)
	text, _ := d.export(commissions.File, export.XLSX, d.ask("range=today&sort=time"))
	b := workbook(t, text)
	rows := b.records()
	for i, text := range texts {
		cell := fmt.Sprint("G", i+2)
		if formula, err := b.GetCellFormula("commissions", cell); err != nil || formula != "" || rows[i]["symbol"] != text {
			t.Errorf("%q is read as %q with the formula %q, %v", text, rows[i]["symbol"], formula, err)
		}
		if text != "" && b.cellType("commissions", cell) != excelize.CellTypeInlineString {
			t.Errorf("%q is no text", text)
		}
		if rows[i]["uid"] != "9223372036854775807" || rows[i]["commission"] != "-1.5" {
			t.Errorf("a row of %s, %s", rows[i]["uid"], rows[i]["commission"])
		}
	}
	for name, part := range b.parts(text) {
		if strings.Contains(part, "<f>") {
			t.Errorf("%s has a formula", name)
		}
	}
}

// A value that no cell can hold does not break the file, and the file reports it.
func TestWorkbookOfOverlongText(t *testing.T) {
	d := newFixture(t, "UTC")
	long := strings.Repeat("🦜", 16_383) + "a" // 32,767 UTF-16 units, the longest text that fits
	var records []affiliate.Commission
	texts := []string{long, long + "b", "a\x00b\x1bc", "\xff\xed\xa0\x80", "\uffff"}
	if storetest.Postgres() { // it stores no U+0000, and only UTF-8
		texts[2], texts[3] = "a\x01b\x1bc", "\uFFFD\uFFFD"
	}
	for i, text := range texts {
		c := trade(today, spot, i, "1")
		c.Symbol, c.DealTime = text, c.DealTime+affiliate.Millis(i)
		records = append(records, c)
	}
	d.read("main", spot, days(0, 0), records...)
	text, _ := d.export(commissions.File, export.XLSX, d.ask("range=today&sort=time"))
	b := workbook(t, text)
	rows := b.records()
	for i, want := range []string{long, strings.Repeat("🦜", 16_383) + "…", texts[2], "\ufffd\ufffd\ufffd\ufffd", "\uffff"} {
		if got := rows[i]["symbol"]; got != want {
			t.Errorf("row %d is %.20q… of %d bytes, want %.20q… of %d", i+1, got, len(got), want, len(want))
		}
	}
	if len(rows) != len(records) || len(b.facts()["Texts cut"]) == 0 {
		t.Errorf("%d rows, cut: %v", len(rows), b.facts()["Texts cut"])
	}
}

// parts returns the files inside a workbook.
func (b book) parts(text string) map[string]string {
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

// No export leaves a file in the directory for temporary files, however it ends.
func TestWorkbookLeavesNothingBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	d := newFixture(t, "UTC")
	var records []affiliate.Commission
	for i := range 500 {
		records = append(records, trade(today, spot, i, "1"))
	}
	d.read("main", spot, days(0, 0), records...)
	d.export(commissions.File, export.XLSX, d.ask("range=today"))
	e := d.open(commissions.File, d.ask("range=today"))
	defer e.Close()
	if _, err := e.Write(t.Context(), &closedPipe{left: 10}, export.XLSX); err == nil {
		t.Error("a write that failed gave no error")
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) != 0 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(temporary, "none"))
	if _, err := e.Write(t.Context(), os.Stderr, export.XLSX); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("without a directory for temporary files: %v", err)
	}
}
