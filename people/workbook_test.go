package people

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// workbook returns a workbook that fill has written to.
func workbook(t *testing.T, fill func(*excelize.File) error) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	var b bytes.Buffer
	if err := errors.Join(fill(book), book.Write(&b)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// cellsOf writes rows to the first sheet.
func cellsOf(rows ...[]any) func(*excelize.File) error {
	return func(book *excelize.File) error {
		for n, row := range rows {
			at, err := excelize.CoordinatesToCellName(1, n+1)
			if err == nil {
				err = book.SetSheetRow("Sheet1", at, &row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// A workbook of somebody else is read as it is meant, or refused with the place of each fault.
func TestForeignWorkbooks(t *testing.T) {
	header := []any{"uid", "name", "cost", "cost_coin"}
	for name, one := range map[string]struct {
		fill  func(*excelize.File) error
		want  []string // of the first entry: UID, name, cost
		fault string
	}{
		"UIDs as numbers":          {fill: cellsOf(header, []any{4667776811, "Ann", 12.5, "USDT"}), want: []string{"4667776811", "Ann", "12.5"}},
		"a UID with lost digits":   {fill: cellsOf(header, []any{1.2345678901234568e+20, "Ann"}), fault: "line 2, column 1 (uid)"},
		"a UID with decimals":      {fill: cellsOf(header, []any{46677768.5, "Ann"}), fault: "line 2, column 1 (uid)"},
		"a UID in exponent form":   {fill: cellsOf(header, []any{"1.2e10", "Ann"}), fault: "took for a number"},
		"a formula that was typed": {fill: cellsOf(header, []any{"1", `=HYPERLINK("http://x")`}), want: []string{"1", `=HYPERLINK("http://x")`, ""}},
		"a date as a cost":         {fill: cellsOf(header, []any{"1", "Ann", time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC), "USDT"}), fault: "line 2, column 3 (cost)"},
		"a merged cell": {fill: func(book *excelize.File) error {
			return errors.Join(cellsOf(header, []any{"1", "Ann"}, []any{"", "Bea"})(book), book.MergeCell("Sheet1", "A2", "A3"))
		}, fault: "line 3, column 1 (uid): the UID is missing"},
		"several sheets": {fill: func(book *excelize.File) error {
			_, err := book.NewSheet("Other")
			return errors.Join(err, book.SetCellValue("Other", "A1", "nothing of it"), cellsOf(header, []any{"1", "Ann"})(book))
		}, want: []string{"1", "Ann", ""}},
		"an empty first sheet": {fill: func(book *excelize.File) error {
			_, err := book.NewSheet("Other")
			return errors.Join(err, book.SetCellValue("Other", "A1", "uid"))
		}, fault: "the file is empty"},
		"a cell beyond the header": {fill: cellsOf(header, []any{"1", "Ann", "", "", "lost"}), fault: "line 2: 5 cells, but the header names 4 columns"},
		"a calculated cell": {fill: func(book *excelize.File) error {
			return errors.Join(cellsOf(header, []any{"1", "Ann"})(book), book.SetCellFormula("Sheet1", "C2", "=6*2"), book.SetCellValue("Sheet1", "D2", "USDT"))
		}, fault: "line 2, column 4 (cost_coin): the coin USDT stands without a cost"},
	} {
		file, err := ParseFile(workbook(t, one.fill))
		if one.fault != "" {
			if err == nil || !strings.Contains(err.Error(), one.fault) {
				t.Errorf("%s: %+v (%v), want %q", name, file, err, one.fault)
			}
			continue
		}
		if err != nil || len(file.Entries) != 1 {
			t.Errorf("%s: %+v (%v)", name, file, err)
			continue
		}
		p := file.Entries[0].Apply(Person{})
		if got := []string{string(p.UID), p.Name, string(p.Cost)}; !slices.Equal(got, one.want) {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}

// Texts of other encodings are refused with their mend, and semicolons and a byte order mark are
// understood.
func TestForeignTexts(t *testing.T) {
	const text = "uid;name\r\n1;Zoë\r\n"
	wide := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	for name, one := range map[string]struct {
		text  []byte
		fault string
	}{
		"UTF-16":                {wide, "UTF-16"},
		"UTF-16 without a mark": {wide[2:], "UTF-16"},
		"Latin-1":               {[]byte("uid;name\r\n1;Zo\xeb\r\n"), "line 2: character 5 is not UTF-8"},
		"an old workbook":       {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "old kind"},
		"with a mark":           {[]byte("\ufeff" + text), ""},
		"without":               {[]byte(text), ""},
	} {
		file, err := ParseFile(one.text)
		switch {
		case one.fault != "":
			if err == nil || !strings.Contains(err.Error(), one.fault) {
				t.Errorf("%s: %v, want %q", name, err, one.fault)
			}
		case err != nil || len(file.Entries) != 1 || file.Entries[0].Apply(Person{}).Name != "Zoë":
			t.Errorf("%s: %+v (%v)", name, file, err)
		}
	}
}
