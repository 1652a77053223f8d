package people

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// foreignBook returns a workbook that fill has written to.
func foreignBook(t *testing.T, fill func(*excelize.File) error) []byte {
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

// rawNumbers writes a person whose UID and cost are number cells with these digits.
func rawNumbers(uid, cost string) func(*excelize.File) error {
	return func(book *excelize.File) error {
		return errors.Join(cellsOf([]any{"uid", "name", "cost", "cost_coin"}, []any{nil, "Ann", nil, "USDT"})(book),
			book.SetCellDefault("Sheet1", "A2", uid), book.SetCellDefault("Sheet1", "C2", cost))
	}
}

// A workbook of someone else is read as it is meant, or refused with the place of each fault.
func TestForeignWorkbooks(t *testing.T) {
	header := []any{"uid", "name", "cost", "cost_coin"}
	for name, one := range map[string]struct {
		fill  func(*excelize.File) error
		want  []string // of the first entry: UID, name, cost
		fault string
	}{
		"UIDs as numbers":         {fill: cellsOf(header, []any{4667776811, "Ann", 12.5, "USDT"}), want: []string{"4667776811", "Ann", "12.5"}},
		"a UID with lost digits":  {fill: cellsOf(header, []any{1.2345678901234568e+20, "Ann"}), fault: "line 2, column 1 (uid)"},
		"what Java writes":        {fill: rawNumbers("4.667776811E9", "1.2345E3"), want: []string{"4667776811", "Ann", "1234.5"}},
		"zeros at the end":        {fill: rawNumbers("4.66777682E+9", "1E-7"), want: []string{"4667776820", "Ann", "0.0000001"}},
		"a point at the end":      {fill: rawNumbers("4667776814.0", "1.1000000000000001"), want: []string{"4667776814", "Ann", "1.1"}},
		"16 digits":               {fill: rawNumbers("4667776811123456", "1"), fault: "line 2, column 1 (uid): \"4667776811123456\" is a number of more than 15 digits"},
		"16 digits, one lost":     {fill: rawNumbers("4667776811123450", "1"), fault: "line 2, column 1 (uid)"},
		"a sum that is not round": {fill: rawNumbers("1", "0.30000000000000004"), fault: "line 2, column 3 (cost): \"0.30000000000000004\" is a number of more than 15 digits"},
		"a truth value as a UID":  {fill: cellsOf(header, []any{true, "Ann"}), fault: "line 2, column 1 (uid): TRUE is a truth value"},
		"a truth value as a name": {fill: cellsOf(header, []any{"1", true}), fault: "line 2, column 2 (name): TRUE is a truth value"},
		"an error of a formula": {fill: func(book *excelize.File) error {
			return errors.Join(cellsOf(header, []any{"1", "Ann"})(book), book.SetCellDefault("Sheet1", "B2", "#N/A"))
		}, want: []string{"1", "#N/A", ""}}, // the library writes a text
		"a header alone":           {fill: cellsOf(header), fault: "a header and no row"},
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
		}, fault: "line 2, column 3 (cost): the formula has no result"},
	} {
		file, err := ParseFile(t.Context(), foreignBook(t, one.fill))
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

// Texts are read in every form that spreadsheets write, or refused with their mend.
func TestForeignTexts(t *testing.T) {
	const text = "uid;name\r\n1;Zoë\r\n"
	wide := func(text string, order binary.AppendByteOrder) (b []byte) {
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return b
	}
	for name, one := range map[string]struct {
		text  []byte
		fault string
	}{
		"UTF-16":                {wide("\ufeff"+text, binary.LittleEndian), ""},
		"UTF-16, big end first": {wide("\ufeff"+text, binary.BigEndian), ""},
		"UTF-16 without a mark": {wide(text, binary.LittleEndian), ""},
		"half UTF-16":           {wide("\ufeff"+text, binary.LittleEndian)[:21], "UTF-16"},
		"Latin-1":               {[]byte("uid;name\r\n1;Zo\xeb\r\n"), "line 2: character 5 is not UTF-8"},
		"an old workbook":       {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "old kind"},
		"with a mark":           {[]byte("\ufeff" + text), ""},
		"with two marks":        {[]byte("\ufeff\ufeff" + text), ""},
		"without":               {[]byte(text), ""},
		"carriage returns":      {[]byte("uid;name\r1;Zoë\r"), ""},
		"line feeds":            {[]byte("uid;name\n1;Zoë"), ""},
		"tabs":                  {[]byte("uid\tname\n1\tZoë\n"), ""},
		"commas":                {[]byte("uid,name\n1,Zoë\n"), ""},
		"a said separator":      {[]byte("sep=|\r\nuid|name\r\n1|Zoë\r\n"), ""},
		"a quoted one":          {[]byte("\"sep=;\"\r\n" + text), ""},
		"a said comma":          {[]byte("\ufeffsep=,\ruid,name\r1,Zoë\r"), ""},
		"a UID with decimals":   {[]byte("uid,name\n1.0,Zoë\n"), ""},
		"a fault below sep":     {[]byte("sep=;\nuid;name\n;Zoë\n"), "line 3, column 1 (uid): the UID is missing"},
	} {
		file, err := ParseFile(t.Context(), one.text)
		switch {
		case one.fault != "":
			if err == nil || !strings.Contains(err.Error(), one.fault) {
				t.Errorf("%s: %v, want %q", name, err, one.fault)
			}
		case err != nil || len(file.Entries) != 1 || file.Entries[0].UID != "1" || file.Entries[0].Apply(Person{}).Name != "Zoë":
			t.Errorf("%s: %+v (%v)", name, file, err)
		}
	}
}

// A note keeps its lines, whichever ends they were written with.
func TestNoteOfLines(t *testing.T) {
	for name, text := range map[string]string{
		"line feeds":       "uid,note\r\n1,\"first\nsecond\n\nlast\"\r\n",
		"both":             "uid,note\r\n1,\"first\r\nsecond\r\n\r\nlast\"\r\n",
		"carriage returns": "uid,note\r1,\"first\rsecond\r\rlast\"\r",
	} {
		file, err := ParseFile(t.Context(), []byte(text))
		if err != nil || len(file.Entries) != 1 || file.Entries[0].Apply(Person{}).Note != "first\nsecond\n\nlast" {
			t.Errorf("%s: %+v (%v)", name, file, err)
		}
	}
}
