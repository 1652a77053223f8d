package export_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// Cells have the right types, and spreadsheets show them correctly.
func TestWorkbookCells(t *testing.T) {
	d := everyKind(t)
	text, _ := d.Export(commissions.File, export.XLSX, d.Ask("range=today"))
	b := reporttest.Workbook(t, text)
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
		if kind := b.CellType("commissions", cell); shown != want.shown && "-"+want.shown != shown || kind != want.kind {
			t.Errorf("%s shows %q of type %v, want %q of type %v", cell, shown, kind, want.shown, want.kind)
		}
	}
	header := strings.Join(b.SheetXML("commissions")[0], ",")
	if header != headers[commissions.File] {
		t.Errorf("the columns are %s", header)
	}
	panes, err := b.GetPanes("commissions")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the header is not frozen: %+v, %v", panes, err)
	}
	last, err := excelize.ColumnNumberToName(len(b.SheetXML("commissions")[0]))
	if err != nil {
		t.Fatal(err)
	}
	if parts := b.Parts(text); !strings.Contains(parts["xl/worksheets/sheet1.xml"], `<autoFilter ref="$A$1:$`+last+`$2">`) && !strings.Contains(parts["xl/worksheets/sheet1.xml"], `<autoFilter ref="A1:`+last+`2"`) {
		t.Errorf("no filter: %.400s", parts["xl/worksheets/sheet1.xml"])
	}
	facts := b.Facts()
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
	d := reporttest.NewFixture(t, "UTC")
	rapid.Check(t, func(t *rapid.T) {
		var records []affiliate.Commission
		numbers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) affiliate.Number { return reporttest.DrawNumber(t, "number") }), 1, 30).Draw(t, "numbers")
		for i, n := range numbers {
			c := reporttest.Trade(reporttest.Today, reporttest.Spot, 1, n)
			c.DealTime += affiliate.Millis(i)
			records = append(records, c)
		}
		d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
		text, _ := d.Export(commissions.File, export.XLSX, d.Ask("range=today&sort=time"))
		b := reporttest.Workbook(t, text)
		for i, n := range numbers {
			cell := fmt.Sprint("N", i+2)
			value, err := b.GetCellValue("commissions", cell, excelize.Options{RawCellValue: true})
			if err != nil || reporttest.Rat(d, value).Cmp(reporttest.Rat(d, string(n))) != 0 {
				t.Fatalf("%s is read as %q, %v", n, value, err)
			}
			digits := len(strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(string(n)), "0"))
			if number := b.CellType("commissions", cell) == excelize.CellTypeUnset; number != (digits <= 15) {
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
	d := reporttest.NewFixture(t, "UTC")
	texts := slices.Concat(formulas, harmless, []string{"_x0041_", "0x00", "1e5", "TRUE", "2026-09-15"})
	var records []affiliate.Commission
	for i, text := range texts {
		c := reporttest.Trade(reporttest.Today, reporttest.Spot, i, "-1.5")
		c.UID = "9223372036854775807"
		c.Symbol, c.DealTime = text, c.DealTime+affiliate.Millis(i)
		records = append(records, c)
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	text, _ := d.Export(commissions.File, export.XLSX, d.Ask("range=today&sort=time"))
	b := reporttest.Workbook(t, text)
	rows := b.Records()
	for i, text := range texts {
		cell := fmt.Sprint("G", i+2)
		if formula, err := b.GetCellFormula("commissions", cell); err != nil || formula != "" || rows[i]["symbol"] != text {
			t.Errorf("%q is read as %q with the formula %q, %v", text, rows[i]["symbol"], formula, err)
		}
		if text != "" && b.CellType("commissions", cell) != excelize.CellTypeInlineString {
			t.Errorf("%q is no text", text)
		}
		if rows[i]["uid"] != "9223372036854775807" || rows[i]["commission"] != "-1.5" {
			t.Errorf("a row of %s, %s", rows[i]["uid"], rows[i]["commission"])
		}
	}
	for name, part := range b.Parts(text) {
		if strings.Contains(part, "<f>") {
			t.Errorf("%s has a formula", name)
		}
	}
}

// A value that no cell can hold does not break the file, and the file reports it.
func TestWorkbookOfOverlongText(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	long := strings.Repeat("🦜", 16_383) + "a" // 32,767 UTF-16 units, the longest text that fits
	var records []affiliate.Commission
	texts := []string{long, long + "b", "a\x00b\x1bc", "\xff\xed\xa0\x80", "\uffff"}
	if storetest.Postgres(t) { // it stores no U+0000, and only UTF-8
		texts[2], texts[3] = "a\x01b\x1bc", "\uFFFD\uFFFD"
	}
	for i, text := range texts {
		c := reporttest.Trade(reporttest.Today, reporttest.Spot, i, "1")
		c.Symbol, c.DealTime = text, c.DealTime+affiliate.Millis(i)
		records = append(records, c)
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	text, _ := d.Export(commissions.File, export.XLSX, d.Ask("range=today&sort=time"))
	b := reporttest.Workbook(t, text)
	rows := b.Records()
	for i, want := range []string{long, strings.Repeat("🦜", 16_383) + "…", texts[2], "\ufffd\ufffd\ufffd\ufffd", "\uffff"} {
		if got := rows[i]["symbol"]; got != want {
			t.Errorf("row %d is %.20q… of %d bytes, want %.20q… of %d", i+1, got, len(got), want, len(want))
		}
	}
	if len(rows) != len(records) || len(b.Facts()["Texts cut"]) == 0 {
		t.Errorf("%d rows, cut: %v", len(rows), b.Facts()["Texts cut"])
	}
}

// No export leaves a file in the directory for temporary files, however it ends.
func TestWorkbookLeavesNothingBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	d := reporttest.NewFixture(t, "UTC")
	var records []affiliate.Commission
	for i := range 500 {
		records = append(records, reporttest.Trade(reporttest.Today, reporttest.Spot, i, "1"))
	}
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), records...)
	d.Export(commissions.File, export.XLSX, d.Ask("range=today"))
	e := d.Open(commissions.File, d.Ask("range=today"))
	defer e.Close()
	if _, err := e.Write(t.Context(), &reporttest.ClosedPipe{Left: 10}, export.XLSX); err == nil {
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
